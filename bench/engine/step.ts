import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { SafetensorsReader } from "../../core/formats/index.js";
import type { Spin } from "../../engines/onnx/runtime/index.js";
import { type Figures, milliseconds, summary } from "../figures.js";
import type { PythonProcess } from "../python-process.js";
import { type GemmRates, gemmRates } from "./gemm.js";
import { type Stage, Trainer } from "./trainer.js";
import { paddedForm, type Workload } from "./workload.js";

export interface StepOptions {
  readonly stages: readonly Stage[];
  readonly threads: number;
  readonly rounds: number;
  /** A workload ends with the first round after so many milliseconds. */
  readonly deadlineMs: number;
  readonly spin: Spin;
}

export interface StageReport {
  readonly onnx: Figures;
  readonly torch: Figures | null;
  /** Of the medians, ours to PyTorch's: below 1 is faster. */
  readonly ratio: number | null;
}

export interface StepReport {
  readonly workload: string;
  readonly threads: number;
  readonly tokens: number;
  readonly rounds: number;
  readonly gemm: GemmRates;
  /** Largest relative difference of a gradient tensor. */
  readonly gradientError: { readonly name: string; readonly error: number } | null;
  readonly stages: Readonly<Partial<Record<Stage, StageReport>>>;
}

/** Stages of a training step, taking turns with PyTorch. */
export async function measureStep(
  work: Workload,
  { stages, threads, rounds, deadlineMs, spin }: StepOptions,
  torch: PythonProcess | null,
): Promise<StepReport> {
  const { batch, config, shape } = work;
  const tokens = batch.inputIds.length;
  const gemm = await gemmRates({ tokens, inputs: shape.hidden, outputs: shape.inner }, threads, rounds, torch);
  const trainer = await Trainer.load(work, threads, spin);
  const dir = await mkdtemp(path.join(os.tmpdir(), "verl-bench-"));
  try {
    let gradientError: StepReport["gradientError"] = null;
    if (torch) {
      await trainer.backend.save(dir, ["model"]);
      const weights = path.join(dir, "model.safetensors");
      await torch.call({ do: "load", threads, config, weights, ...paddedForm(batch) });
      await trainer.run("backward", batch);
      gradientError = await compareGradients(trainer, torch, path.join(dir, "gradients.safetensors"));
    }
    const ours: Record<Stage, number[]> = { forward: [], backward: [], step: [] };
    const theirs: Record<Stage, number[]> = { forward: [], backward: [], step: [] };
    const begin = performance.now();
    for (let round = 0; round <= rounds; round++) {
      if (round > 1 && performance.now() - begin > deadlineMs) break;
      for (const stage of stages) {
        const ms = await milliseconds(() => trainer.run(stage, batch));
        const other = torch ? (await torch.call<{ times: number[] }>({ do: stage, repeats: 1 })).times : [];
        // The first round warms up.
        if (round === 0) continue;
        ours[stage].push(ms);
        theirs[stage].push(...other);
      }
    }
    const report = (stage: Stage): StageReport => {
      const onnx = summary(ours[stage]);
      if (!torch) return { onnx, torch: null, ratio: null };
      const other = summary(theirs[stage]);
      return { onnx, torch: other, ratio: onnx.median / other.median };
    };
    const reports = Object.fromEntries(stages.map((stage) => [stage, report(stage)]));
    const measured = ours[stages[0]].length;
    return { workload: work.name, threads, tokens, rounds: measured, gemm, gradientError, stages: reports };
  } finally {
    await trainer.dispose();
    await rm(dir, { recursive: true });
  }
}

async function compareGradients(trainer: Trainer, torch: PythonProcess, file: string) {
  await torch.call({ do: "gradients", path: file });
  const reader = await SafetensorsReader.open(file);
  let worst = { name: "", error: 0 };
  for await (const { name, data } of trainer.backend.gradients()) {
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
  return worst;
}

export function describeStep({ workload, threads, tokens, rounds, gemm, gradientError, stages }: StepReport): string {
  const lines = [
    `\n${workload}: ${tokens} tokens, ${threads} ${threads === 1 ? "thread" : "threads"}, ${rounds} rounds`,
  ];
  const torchRate =
    gemm.torch === null ? "" : `, PyTorch ${gemm.torch.toFixed(0)} (${percent(gemm.ratio as number)} of ours)`;
  lines.push(`  products: onnxruntime ${gemm.onnxruntime.toFixed(0)} GFLOP/s${torchRate}`);
  if (gradientError) {
    lines.push(
      `  gradients differ by at most ${gradientError.error.toExponential(1)} of a tensor (${gradientError.name})`,
    );
  }
  for (const [stage, { onnx, torch, ratio }] of Object.entries(stages)) {
    const other = torch
      ? `, PyTorch ${torch.median.toFixed(1)} (${torch.min.toFixed(1)}), ratio ${ratio?.toFixed(2)}`
      : "";
    lines.push(`  ${stage.padEnd(8)} ms, median (best): ${onnx.median.toFixed(1)} (${onnx.min.toFixed(1)})${other}`);
  }
  return lines.join("\n");
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
