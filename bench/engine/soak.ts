import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { residentMiB } from "../figures.js";
import { SHAPES } from "../random-model.js";
import { Trainer } from "./trainer.js";
import { workload } from "./workload.js";

export interface SoakReport {
  readonly threads: number;
  readonly steps: number;
  /** Resident memory in MiB after each hundredth of the steps. */
  readonly resident: readonly number[];
  /** Slope over the second half, in MiB per 1,000 steps. */
  readonly slope: number;
}

/**
 * Training steps of a small model on batches of ever different lengths, memory watched after the garbage is collected: what
 * V8 has not got round to would look like growth. Linux.
 */
export async function soak(threads: number, steps: number): Promise<SoakReport> {
  const work = (seed: number) => workload("soak", SHAPES.tiny, { sequences: 8, length: 64, ragged: true }, seed);
  const trainer = await Trainer.load(work(0), threads);
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const resident: number[] = [];
  const every = Math.max(1, Math.floor(steps / 100));
  try {
    for (let step = 1; step <= steps; step++) {
      await trainer.run("step", work(step).batch);
      if (step % every !== 0) continue;
      collectGarbage();
      resident.push(residentMiB().now);
    }
  } finally {
    await trainer.dispose();
  }
  const half = resident.slice(resident.length >> 1);
  return { threads, steps, resident, slope: (leastSquaresSlope(half) * 1000) / every };
}

/** Of the values over 0, 1, 2, … */
function leastSquaresSlope(values: readonly number[]): number {
  const n = values.length;
  const mean = values.reduce((a, b) => a + b, 0) / n;
  let [numerator, denominator] = [0, 0];
  values.forEach((y, x) => {
    numerator += (x - (n - 1) / 2) * (y - mean);
    denominator += (x - (n - 1) / 2) ** 2;
  });
  return denominator === 0 ? 0 : numerator / denominator;
}

export function describeSoak({ threads, steps, resident, slope }: SoakReport): string {
  const at = (share: number) => resident[Math.round((resident.length - 1) * share)].toFixed(1);
  return [
    `${steps} steps, ${threads} ${threads === 1 ? "thread" : "threads"}`,
    `  resident MiB after 10, 25, 50, 75 and 100 % of them: ${[0.1, 0.25, 0.5, 0.75, 1].map(at).join(", ")}`,
    `  slope over the second half: ${slope.toFixed(2)} MiB per 1,000 steps`,
  ].join("\n");
}
