/**
 * Training steps of the ONNX engine and of PyTorch, interleaved in one run, and the difference of their gradients.
 *
 *   VERL_BENCH_PYTHON=/path/to/python node dist/bench/engine/main.js [--workloads a,b,r] [--threads 2] [--rounds 5] [--seconds 120] [--spin]
 *
 * A workload ends after its rounds or, at the latest, with the first round that is over after so many seconds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { countsOf, sftLoss } from "../../core/algorithms/index.js";
import { SafetensorsReader } from "../../core/formats/index.js";
import type { OptimizerConfig } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import { commandLine, listOf, wholeNumber } from "../../test/command-line.js";
import { PythonProcess } from "../python-process.js";
import { paddedForm, WORKLOADS, type Workload } from "./workload.js";

const USAGE =
  "VERL_BENCH_PYTHON=/path/to/python npm run bench -- engine [--workloads a,b,r] [--threads 2] [--rounds 5] [--seconds 120] [--spin]";
const { values: args } = commandLine({
  usage: USAGE,
  options: {
    workloads: { type: "string", default: "a,b,r" },
    threads: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "120" },
    spin: { type: "boolean", default: false },
  },
});
const threads = wholeNumber("threads", args.threads, 1, USAGE);
const rounds = wholeNumber("rounds", args.rounds, 1, USAGE);
const deadlineMs = wholeNumber("seconds", args.seconds, 1, USAGE) * 1000;
const workloads = listOf(
  "workloads",
  args.workloads,
  WORKLOADS.map(({ name }) => name),
  USAGE,
);
const STAGES = ["forward", "backward", "step"] as const;
type Stage = (typeof STAGES)[number];

const OPTIMIZER: OptimizerConfig = {
  name: "adamw",
  lr: 1e-4,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0.01,
  clipGrad: 1,
  schedule: { type: "constant", warmupSteps: 0, totalSteps: 0, minLrRatio: 0, numCycles: 0.5 },
};

async function main(): Promise<void> {
  const python = process.env.VERL_BENCH_PYTHON;
  const torch = python ? await PythonProcess.start(python, "engine/torch_engine.py") : null;
  const cpu = os.cpus()[0]?.model ?? "unknown CPU";
  console.log(`${cpu}, ${os.cpus().length} cores, ${threads} threads, load ${os.loadavg()[0].toFixed(1)}`);
  console.log(torch ? `PyTorch ${torch.version}` : "VERL_BENCH_PYTHON is not set: PyTorch is left out");
  try {
    for (const workload of WORKLOADS.filter((w) => workloads.includes(w.name))) {
      await measure(workload, torch);
    }
  } finally {
    torch?.stop();
  }
}

async function measure({ name, config, batch }: Workload, torch: PythonProcess | null): Promise<void> {
  const backend = new OnnxBackend({
    model: { config, initSeed: 1 },
    optimizer: OPTIMIZER,
    topology: { rank: 0, size: 1, isOutputSource: true },
    threads,
    seed: 1,
    extra: { spin: args.spin },
  });
  await backend.load();
  const loss = sftLoss();
  const counts = countsOf(batch);
  const stages: Record<Stage, () => Promise<unknown>> = {
    forward: () => backend.forward(batch, ["logProb"]),
    async backward() {
      await backend.zeroGrad();
      return backend.fused(batch, loss, counts);
    },
    async step() {
      await stages.backward();
      const norm = await backend.gradNorm();
      await backend.step({ lr: OPTIMIZER.lr, gradScale: Math.min(1, 1 / (norm + 1e-6)), optimizer: OPTIMIZER });
    },
  };
  const dir = await mkdtemp(path.join(os.tmpdir(), "verl-bench-"));
  try {
    const tokens = batch.inputIds.length;
    console.log(
      `\n${name}: ${(backend.modelInfo().parameters / 1e6).toFixed(2)} M parameters, ${batch.size} sequences, ${tokens} tokens`,
    );
    if (torch) {
      await backend.save(dir, ["model"]);
      const weights = path.join(dir, "model.safetensors");
      await torch.call({ do: "load", threads, config, weights, ...paddedForm(batch) });
      await compareGradients(backend, stages.backward, torch, path.join(dir, "gradients.safetensors"));
    }
    const ours = Object.fromEntries(STAGES.map((s) => [s, [] as number[]]));
    const theirs = Object.fromEntries(STAGES.map((s) => [s, [] as number[]]));
    const begin = performance.now();
    for (let round = 0; round <= rounds; round++) {
      if (round > 1 && performance.now() - begin > deadlineMs) break;
      for (const stage of STAGES) {
        const start = performance.now();
        await stages[stage]();
        // The first round warms up.
        if (round > 0) ours[stage].push(performance.now() - start);
        if (!torch) continue;
        const { times } = await torch.call<{ times: number[] }>({ do: stage, repeats: 1 });
        if (round > 0) theirs[stage].push(...times);
      }
    }
    for (const stage of STAGES) report(stage, ours[stage], theirs[stage]);
  } finally {
    await backend.dispose();
    await rm(dir, { recursive: true });
  }
}

async function compareGradients(
  backend: OnnxBackend,
  backward: () => Promise<unknown>,
  torch: PythonProcess,
  file: string,
): Promise<void> {
  await backward();
  await torch.call({ do: "gradients", path: file });
  const reader = await SafetensorsReader.open(file);
  let worst = { name: "", error: 0 };
  for await (const { name, data } of backend.gradients()) {
    const { data: expected } = await reader.readF32(name);
    let [difference, norm] = [0, 0];
    expected.forEach((x, i) => {
      difference += (x - Number(data[i])) ** 2;
      norm += x * x;
    });
    const error = Math.sqrt(difference / norm);
    if (error > worst.error) worst = { name, error };
  }
  await reader.close();
  console.log(`  gradients: largest relative difference of a tensor ${worst.error.toExponential(1)} (${worst.name})`);
}

function report(stage: string, ours: number[], theirs: number[]): void {
  const summary = (times: number[]) => {
    const sorted = [...times].sort((a, b) => a - b);
    return { min: sorted[0], median: sorted[sorted.length >> 1] };
  };
  const mine = summary(ours);
  let line = `  ${stage.padEnd(8)} ms min/median: ONNX ${mine.min.toFixed(1)}/${mine.median.toFixed(1)}`;
  if (theirs.length > 0) {
    const other = summary(theirs);
    const ratio = `${(mine.min / other.min).toFixed(2)}/${(mine.median / other.median).toFixed(2)}`;
    line += `  PyTorch ${other.min.toFixed(1)}/${other.median.toFixed(1)}  ratio ${ratio}`;
  }
  console.log(line);
}

await main();
