/**
 * Combining metrics by their declared rule. A micro-batch reports `MetricValue`s; they combine over micro-batches, then
 * over ranks, then over the local updates of a step (`metrics-aggregator.ts`).
 */
import type { MetricReduction, MetricValue } from "../algorithms/algebra.js";
import { trackingErrors } from "./errors.js";

/** Values of one metric as one value. A `mean` is weighted by the tokens behind each; those without weigh nothing. */
export function combine(values: readonly MetricValue[]): MetricValue {
  const [{ reduction }] = values;
  const weight = values.reduce((sum, v) => sum + v.weight, 0);
  const numbers = values.map((v) => v.value);
  switch (reduction) {
    case "sum":
      return { value: total(numbers), reduction, weight };
    case "min":
      return { value: Math.min(...numbers), reduction, weight };
    case "max":
      return { value: Math.max(...numbers), reduction, weight };
    case "mean": {
      const counted = values.filter((v) => v.weight > 0);
      if (counted.length === 0) return { value: mean(numbers), reduction, weight: 0 };
      return { value: total(counted.map((v) => v.value * v.weight)) / weight, reduction, weight };
    }
  }
}

/** Metrics of several micro-batches by name; each where it is present. */
export function combineMetrics(parts: readonly Readonly<Record<string, MetricValue>>[]): Record<string, MetricValue> {
  const lists = new Map<string, MetricValue[]>();
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      const list = lists.get(name);
      if (list) list.push(value);
      else lists.set(name, [value]);
    }
  }
  return Object.fromEntries([...lists].map(([name, values]) => [name, combine(values)]));
}

/** The plain numbers, for a tracker. */
export function metricNumbers(metrics: Readonly<Record<string, MetricValue>>): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value]));
}

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
