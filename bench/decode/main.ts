/**
 * Tokens a second of the ONNX rollout next to PyTorch, `transformers` and llama.cpp, the contenders taking turns in one run.
 *
 *   VERL_BENCH_PYTHON=/path/to/python NODE_LLAMA_CPP=/path/to/folder npm run bench -- decode [--workloads a,b,smollm2]
 *     [--contenders onnx,onnx-int8,onnx-int4,torch,transformers,llama.cpp] [--batches 1,8,32] [--threads 1,2] [--rounds 10] [--smollm2 FILE] [--json]
 *
 * Every sequence has a prompt of 128 tokens and draws 102, at temperature 1 with its log-probability, except that llama.cpp draws
 * greedily. The last two contenders take part in the workload smollm2; `onnx` always does. A first round warms up.
 */
import { commandLine, listOf, wholeNumber } from "../../test/command-line.js";
import { machine, summary } from "../figures.js";
import type { LineProcess } from "../line-process.js";
import { speaker } from "../progress.js";
import { PythonProcess } from "../python-process.js";
import {
  type Contender,
  LlamaContender,
  ONNX,
  OnnxContender,
  PythonContender,
  type Setting,
  type Times,
} from "./contenders.js";
import { type Model, makeModel, PROMPT, prompts, TOKENS, WORKLOADS } from "./workloads.js";

const CONTENDERS = ["onnx", "onnx-int8", "onnx-int4", "torch", "transformers", "llama.cpp"];
const USAGE =
  "VERL_BENCH_PYTHON=/path/to/python NODE_LLAMA_CPP=/path/to/folder npm run bench -- decode [--workloads a,b,smollm2] " +
  "[--contenders onnx,onnx-int8,onnx-int4,torch,transformers,llama.cpp] [--batches 1,8,32] [--threads 1,2] [--rounds 10] [--smollm2 FILE] [--json]";
const { values: args } = commandLine({
  usage: USAGE,
  options: {
    workloads: { type: "string", default: "a,b" },
    contenders: { type: "string", default: "onnx,torch,transformers,llama.cpp" },
    batches: { type: "string", default: "1,8,32" },
    threads: { type: "string", default: "1,2" },
    rounds: { type: "string", default: "10" },
    smollm2: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const say = speaker(args);
const numbers = (name: "batches" | "threads") =>
  args[name].split(",").map((value) => wholeNumber(name, value, 1, USAGE));
const [batches, threadCounts] = [numbers("batches"), numbers("threads")];
const rounds = wholeNumber("rounds", args.rounds, 1, USAGE);
const workloads = listOf("workloads", args.workloads, WORKLOADS, USAGE);
const contenders = listOf("contenders", args.contenders, CONTENDERS, USAGE);

interface Speed {
  readonly contender: string;
  /** Tokens a second over all sequences: median and best. */
  readonly decode: number;
  readonly bestDecode: number;
  readonly prefill: number;
  /** Share of the memory's bandwidth that reading the weights takes; at batch 1 only, and null for rounded ones. */
  readonly bandwidthShare: number | null;
}

interface Result {
  readonly workload: string;
  readonly threads: number;
  readonly batch: number;
  readonly largestDifference: number | null;
  readonly speeds: Speed[];
}

async function main(): Promise<void> {
  const { VERL_BENCH_PYTHON: interpreter } = process.env;
  const python = interpreter ? await PythonProcess.start(interpreter, "decode/torch_decoder.py") : null;
  const where = machine();
  say(where);
  say(python ? `PyTorch ${python.version}` : "VERL_BENCH_PYTHON is not set: only the ONNX rollout is measured");
  const results: Result[] = [];
  const bandwidths: Record<number, number> = {};
  try {
    for (const threads of threadCounts) {
      if (python) {
        await python.call({ do: "threads", threads });
        bandwidths[threads] = (await python.call<{ bytesPerSecond: number }>({ do: "bandwidth" })).bytesPerSecond;
        say(`\n${threads} thread(s); a sum reads ${(bandwidths[threads] / 1e9).toFixed(1)} GB/s`);
      }
      for (const name of workloads) {
        const model = await makeModel(name, args.smollm2);
        try {
          for (const batch of batches) {
            const setting = { model, batch, threads };
            results.push(await measure(setting, python, bandwidths[threads] ?? null));
          }
        } finally {
          await model.remove();
        }
      }
    }
  } finally {
    python?.stop();
  }
  if (args.json) {
    console.log(
      JSON.stringify({ machine: where, torch: python?.version ?? null, rounds, bandwidths, results }, null, 2),
    );
  }
}

async function measure(setting: Setting, python: LineProcess | null, bandwidth: number | null): Promise<Result> {
  const { model, batch, threads } = setting;
  const onnx = await OnnxContender.start("onnx", setting);
  const others = await startOthers(setting, python);
  const all: Contender[] = [onnx, ...others];
  try {
    const torch = others.find(({ name }) => name === "torch");
    const largestDifference = torch && python ? await compare(onnx, model, batch, python) : null;
    const times = new Map(all.map(({ name }) => [name, [] as Times[]]));
    for (let round = 0; round <= rounds; round++) {
      for (const contender of all) {
        const taken = await contender.generate(prompts(model, batch, round));
        if (round > 0) times.get(contender.name)?.push(taken);
      }
    }
    const speeds = all.map(({ name }) => speedOf(name, times.get(name) ?? [], setting, bandwidth));
    const result = { workload: model.name, threads, batch, largestDifference, speeds };
    print(result);
    return result;
  } finally {
    for (const contender of all) await contender.dispose();
  }
}

async function startOthers(setting: Setting, python: LineProcess | null): Promise<Contender[]> {
  const others: Contender[] = [];
  for (const name of ["onnx-int8", "onnx-int4"] as const) {
    if (contenders.includes(name)) others.push(await OnnxContender.start(name, setting));
  }
  if (!python) return others;
  const isReal = setting.model.gguf !== null;
  if (contenders.includes("torch")) others.push(await PythonContender.start("torch", python, setting));
  if (isReal && contenders.includes("transformers")) {
    others.push(await PythonContender.start("transformers", python, setting));
  }
  if (isReal && contenders.includes("llama.cpp") && process.env.NODE_LLAMA_CPP) {
    others.push(await LlamaContender.start(python, setting));
  }
  return others;
}

/** Log-probabilities of what the rollout draws, against PyTorch's of the same tokens. */
async function compare(onnx: OnnxContender, model: Model, batch: number, python: LineProcess): Promise<number> {
  const rows = prompts(model, batch, 0);
  const outputs = await onnx.draw(rows);
  const sequences = rows.map((prompt, row) => [...prompt, ...outputs[row].tokenIds]);
  const { logProbs } = await python.call<{ logProbs: number[][] }>({ do: "score", sequences, promptLength: PROMPT });
  const differences = outputs.flatMap((output, row) =>
    (output.logProbs ?? []).map((logProb, t) => Math.abs(logProb - logProbs[row][t])),
  );
  return Math.max(...differences);
}

function speedOf(contender: string, times: readonly Times[], { batch, model }: Setting, bandwidth: number | null) {
  const decodeMs = summary(times.map((t) => t.decodeMs));
  const prefillMs = summary(times.map((t) => t.prefillMs));
  const drawn = 1000 * batch * (TOKENS - 1);
  const isRounded = contender !== "onnx" && contender in ONNX;
  const decode = drawn / decodeMs.median;
  return {
    contender,
    decode,
    bestDecode: drawn / decodeMs.min,
    prefill: (1000 * batch * PROMPT) / prefillMs.median,
    bandwidthShare: batch === 1 && bandwidth && !isRounded ? (decode * model.bytesPerToken) / bandwidth : null,
  };
}

function print({ workload, threads, batch, largestDifference, speeds }: Result): void {
  const agreement =
    largestDifference === null ? "" : `, log-probabilities within ${largestDifference.toExponential(1)}`;
  say(`\n${workload}, batch ${batch}, ${threads} thread(s)${agreement}`);
  const [ours] = speeds;
  for (const { contender, decode, bestDecode, prefill, bandwidthShare } of speeds) {
    const share = bandwidthShare === null ? "" : `, ${(100 * bandwidthShare).toFixed(0)} % of the bandwidth`;
    const ratios =
      contender === ours.contender
        ? ""
        : `   ours to it: ${(ours.decode / decode).toFixed(2)} decoding, ${(ours.prefill / prefill).toFixed(2)} prefill`;
    say(
      `  ${contender.padEnd(13)} ${decode.toFixed(0)} tokens/s (best ${bestDecode.toFixed(0)}${share}), prefill ${prefill.toFixed(0)}${ratios}`,
    );
  }
}

await main();
