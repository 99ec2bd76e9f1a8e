import type { TrajectoryRecord } from "../tracker.js";
import { type Sample, type SampleLimits, sampleOf } from "./sample.js";

export interface StoreLimits extends SampleLimits {
  /** Trajectories kept of one step and split. */
  readonly perStep: number;
  /** Steps kept of one split: the first, the latest, and some between. */
  readonly steps: number;
}

const LIMITS: StoreLimits = { perStep: 8, steps: 10, tokens: 400, characters: 4000 };

/** Sampled trajectories in bounded memory: a few of every kept step; steps thin out towards the middle of the run. */
export class SampleStore {
  readonly #steps: Record<"train" | "val", Map<number, Sample[]>> = { train: new Map(), val: new Map() };
  readonly #limits: StoreLimits;

  constructor(limits: Partial<StoreLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  add(records: readonly TrajectoryRecord[]): void {
    for (const record of records) {
      const steps = this.#steps[record.split];
      const samples = steps.get(record.step) ?? [];
      if (samples.length >= this.#limits.perStep) continue;
      samples.push(sampleOf(record, this.#limits));
      steps.set(record.step, samples);
      if (steps.size > this.#limits.steps) steps.delete(mostCrowded([...steps.keys()]));
    }
  }

  all(): Sample[] {
    return Object.values(this.#steps).flatMap((steps) => [...steps.values()].flat());
  }
}

/** The step whose removal leaves the smallest relative gap; never the first or the last two. */
function mostCrowded(steps: readonly number[]): number {
  const sorted = [...steps].sort((a, b) => a - b);
  const end = sorted[sorted.length - 1] + 1;
  let [best, bestGap] = [sorted[1], Number.POSITIVE_INFINITY];
  for (let i = 1; i < sorted.length - 2; i++) {
    // Old steps may lie further apart than recent ones.
    const gap = (sorted[i + 1] - sorted[i - 1]) / (end - sorted[i]);
    if (gap < bestGap) [best, bestGap] = [sorted[i], gap];
  }
  return best;
}
