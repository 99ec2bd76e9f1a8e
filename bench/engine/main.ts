/**
 * The ONNX engine's training step: time and memory next to PyTorch's, time over tokens, memory over many steps.
 *
 *   VERL_BENCH_PYTHON=/path/to/python npm run bench -- engine [step|memory|tokens|soak] [options]
 *
 *   step     forward, forward + backward, and the whole step with clipping and AdamW, the two engines taking turns, with
 *            the difference of their gradients and the rates of their matrix products (the default)
 *   memory   peak resident memory above that after loading the libraries, each engine in a process of its own (Linux)
 *   tokens   time of batches of 1k to 32k tokens
 *   soak     resident memory over many steps (Linux)
 */
import type { Spin } from "../../engines/onnx/runtime/index.js";
import { commandLine, listOf, usageError, wholeNumber } from "../../test/command-line.js";
import { machine } from "../figures.js";
import { speaker } from "../progress.js";
import { PythonProcess } from "../python-process.js";
import { describeMemory, measureMemory } from "./memory.js";
import { describeSoak, soak } from "./soak.js";
import { describeStep, measureStep } from "./step.js";
import { describeTokens, measureTokens } from "./tokens.js";
import { STAGES } from "./trainer.js";
import { WORKLOADS } from "./workload.js";

const USAGE = `VERL_BENCH_PYTHON=/path/to/python npm run bench -- engine [step|memory|tokens|soak] [--json]
         step:   [--workloads a,b,smollm2,a-ragged,b-ragged,smollm2-ragged] [--threads 1,2] [--stages forward,backward,step] [--rounds 10] [--seconds 600]
                 [--spin true|false|briefly]
         memory: [--workloads a,b,smollm2] [--threads 2] [--steps 3]
         tokens: [--models a,b] [--threads 2] [--rounds 3] [--micro-batch 4096]
         soak:   [--threads 2] [--steps 1000]`;
const { values: args, positionals } = commandLine({
  usage: USAGE,
  allowPositionals: true,
  options: {
    workloads: { type: "string" },
    models: { type: "string", default: "a,b" },
    stages: { type: "string", default: STAGES.join() },
    threads: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string", default: "600" },
    steps: { type: "string" },
    "micro-batch": { type: "string", default: "4096" },
    spin: { type: "string", default: "briefly" },
    json: { type: "boolean", default: false },
  },
});
const say = speaker(args);
const NAMES = WORKLOADS.map(({ name }) => name);
const python = process.env.VERL_BENCH_PYTHON;

const number = (name: string, value: string | undefined, standard: number) =>
  wholeNumber(name, value ?? String(standard), 1, USAGE);
const threadCounts = (standard: string) => (args.threads ?? standard).split(",").map((n) => number("threads", n, 1));
const chosen = (standard: readonly string[]) => {
  const names = listOf("workloads", args.workloads ?? standard.join(), NAMES, USAGE);
  return WORKLOADS.filter(({ name }) => names.includes(name));
};

const spinOf = (value: string): Spin => {
  listOf("spin", value, ["true", "false", "briefly"], USAGE);
  return value === "briefly" ? value : value === "true";
};

const COMMANDS: Readonly<Record<string, () => AsyncGenerator<readonly [report: object, text: string]>>> = {
  async *step() {
    const torch = python ? await PythonProcess.start(python, "engine/torch_engine.py") : null;
    say(torch ? `PyTorch ${torch.version}` : "VERL_BENCH_PYTHON is not set: PyTorch is left out");
    const rounds = number("rounds", args.rounds, 10);
    const deadlineMs = number("seconds", args.seconds, 600) * 1000;
    const wanted = listOf("stages", args.stages, STAGES, USAGE);
    const stages = STAGES.filter((stage) => wanted.includes(stage));
    try {
      for (const work of chosen(NAMES)) {
        for (const threads of threadCounts("1,2")) {
          const report = await measureStep(
            work,
            { stages, threads, rounds, deadlineMs, spin: spinOf(args.spin) },
            torch,
          );
          yield [report, describeStep(report)];
        }
      }
    } finally {
      torch?.stop();
    }
  },

  async *memory() {
    if (!python) say("VERL_BENCH_PYTHON is not set: PyTorch is left out");
    for (const work of chosen(NAMES.filter((name) => !name.endsWith("-ragged")))) {
      for (const threads of threadCounts("2")) {
        const report = await measureMemory(work, threads, number("steps", args.steps, 3), python);
        yield [report, describeMemory(report)];
      }
    }
  },

  async *tokens() {
    for (const model of listOf("models", args.models, ["a", "b"], USAGE)) {
      for (const threads of threadCounts("2")) {
        const rounds = number("rounds", args.rounds, 3);
        const microBatchTokens = number("micro-batch", args["micro-batch"], 4096);
        const report = await measureTokens(model as "a" | "b", { threads, rounds, microBatchTokens });
        yield [report, describeTokens(report)];
      }
    }
  },

  async *soak() {
    for (const threads of threadCounts("2")) {
      const report = await soak(threads, number("steps", args.steps, 1000));
      yield [report, describeSoak(report)];
    }
  },
};

async function main(): Promise<void> {
  const [command = "step", ...more] = positionals;
  if (more.length > 0 || !Object.hasOwn(COMMANDS, command)) {
    usageError(`Known commands: ${Object.keys(COMMANDS).join(", ")}.`, USAGE);
  }
  const where = machine();
  say(where);
  const reports: object[] = [];
  for await (const [report, text] of COMMANDS[command]()) {
    reports.push(report);
    say(text);
  }
  if (args.json) console.log(JSON.stringify({ machine: where, command, reports }, null, 2));
}

await main();
