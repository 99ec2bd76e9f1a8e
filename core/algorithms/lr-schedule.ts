/**
 * Learning-rate schedules, as multipliers of the base rate. `w` = warm-up steps, `p` = (step − w) / max(1, total − w).
 *
 *   warm-up    r₀ + (1 − r₀)·step/w  while step < w   (the first update has rate 0 unless r₀ > 0)
 *   constant   1
 *   cosine     max(m, (1−m)/2 · cos(2π·cycles·p) + (1+m)/2)   Loshchilov & Hutter, SGDR, 1608.03983
 *   wsd        1 for `stableSteps`, then the cosine down to m over the rest, then m   MiniCPM, 2404.06395
 *
 * Past its horizon the cosine rises again, as in the reference; stop training at the horizon.
 */
import { errors } from "./errors.js";

export interface LrSchedule {
  readonly type: "constant" | "cosine" | "wsd";
  readonly warmupSteps: number;
  /** Horizon in scheduler steps; read by cosine and wsd. */
  readonly totalSteps: number;
  /** m: floor of the decay. */
  readonly minLrRatio: number;
  /** 0.5 is one descent. */
  readonly numCycles: number;
  /** wsd: constant steps after warm-up; default 0.9 of what remains, rounded down. */
  readonly stableSteps?: number;
  /** r₀: where the warm-up starts; default 0. */
  readonly initLrRatio?: number;
}

/** Multiplier of the base rate for the update after `step` scheduler steps (0 = the first update). */
export function lrMultiplier(schedule: LrSchedule, step: number): number {
  const { warmupSteps: warmup, totalSteps: total, minLrRatio: floor, numCycles } = schedule;
  const start = schedule.type === "constant" ? 0 : (schedule.initLrRatio ?? 0);
  if (step < warmup) return start + (1 - start) * (step / warmup);
  if (schedule.type === "constant") return 1;
  if (!(floor >= 0 && floor <= 1)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({ what: `min_lr_ratio is ${floor}`, why: "it must lie between 0 and 1" });
  }
  if (schedule.type === "cosine") return cosine((step - warmup) / Math.max(1, total - warmup), floor, numCycles);
  const stable = schedule.stableSteps ?? Math.floor((total - warmup) * 0.9);
  const decayStart = warmup + stable;
  if (step < decayStart) return 1;
  if (step >= total) return floor;
  return cosine((step - decayStart) / Math.max(1, total - decayStart), floor, numCycles);
}

function cosine(progress: number, floor: number, cycles: number): number {
  return Math.max(floor, ((1 - floor) / 2) * Math.cos(Math.PI * cycles * 2 * progress) + (1 + floor) / 2);
}
