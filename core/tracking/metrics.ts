/**
 * Combining metrics by their declared rule over ranks, after micro-batches (`combineMetrics` of the algorithms) and before
 * the local updates of a step (`metrics-aggregator.ts`).
 */
import type { MetricReduction } from "../algorithms/algebra.js";
import { trackingErrors } from "./errors.js";

/**
 * One metric over data-parallel ranks, each with a value per accumulation step: sums and means are averaged over the
 * ranks step by step, then summed or averaged over the steps; min and max are taken over everything.
 */
export function combineRanks(perRank: readonly (readonly number[])[], reduction: MetricReduction): number {
  if (reduction === "min") return Math.min(...perRank.flat());
  if (reduction === "max") return Math.max(...perRank.flat());
  const steps = perRank[0].length;
  if (perRank.some((values) => values.length !== steps)) {
    throw trackingErrors.VERL_TRACKING_UNEVEN_RANKS({
      what: `ranks report ${perRank.map((values) => values.length).join(", ")} values of one metric`,
      why: `a ${reduction} over ranks pairs their values step by step`,
    });
  }
  const averaged = Array.from({ length: steps }, (_, step) => mean(perRank.map((values) => values[step])));
  return reduction === "sum" ? total(averaged) : mean(averaged);
}

/** What one rank makes of its own accumulation steps. */
export function combineSteps(values: readonly number[], reduction: MetricReduction): number {
  return combineRanks([values], reduction);
}

export const total = (xs: readonly number[]): number => xs.reduce((a, b) => a + b, 0);
export const mean = (xs: readonly number[]): number => total(xs) / xs.length;

/** `<name>/mean`, `<name>/max`, `<name>/min`; NaN of nothing. */
export function summary(name: string, xs: readonly number[]): Record<string, number> {
  const none = xs.length === 0;
  return {
    [`${name}/mean`]: none ? Number.NaN : mean(xs),
    [`${name}/max`]: none ? Number.NaN : xs.reduce((a, b) => Math.max(a, b)),
    [`${name}/min`]: none ? Number.NaN : xs.reduce((a, b) => Math.min(a, b)),
  };
}
