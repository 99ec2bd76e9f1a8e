import { pairwiseSum } from "../algorithms/pairwise-sum.js";
import type { JsonValue } from "../host/types.js";
import { transferErrors } from "./errors.js";
import type { PromptStatus } from "./replay-buffer.js";
import { requireStatus } from "./staleness.js";

/** A prompt group as the filter sees it: the reward's extra values of each trajectory. */
export interface ScoredGroup {
  readonly uid: string;
  readonly status: PromptStatus;
  readonly trajectories: readonly Readonly<Record<string, JsonValue>>[];
}

export interface FilterResult {
  /** uids of groups without signal, in the order given. */
  readonly evicted: readonly string[];
  /** Prompts to ask for: one for each evicted group when async, two when sync. */
  readonly refill: number;
  /** The value that all trajectories of an evicted group share → how many groups. */
  readonly valueCounts: ReadonlyMap<number, number>;
}

/**
 * Dynamic sampling (Yu et al., "DAPO", 2025): a finished group whose trajectories all have the same metric gives no
 * gradient. A group has no signal if it has more than one trajectory and the standard deviation is exactly 0; booleans
 * count as 1 and 0. A finished group that cannot be judged is `VERL_REPLAY_METRIC_MISSING`.
 */
export function filterGroups(
  groups: readonly ScoredGroup[],
  options: { readonly mode: "sync" | "async"; readonly metric: string; readonly uniform?: UniformTest },
): FilterResult {
  const evicted: string[] = [];
  const valueCounts = new Map<number, number>();
  for (const { uid, status, trajectories } of groups) {
    requireStatus(uid, status);
    if (status !== "finished") continue;
    if (trajectories.length === 0) throw missing(uid, options.metric, "the group has no trajectories");
    const values = trajectories.map((extra) => metricValue(uid, options.metric, extra));
    if (values.length > 1 && isUniform(values, options.uniform ?? "equal")) {
      evicted.push(uid);
      valueCounts.set(values[0], (valueCounts.get(values[0]) ?? 0) + 1);
    }
  }
  return { evicted, refill: evicted.length * (options.mode === "sync" ? 2 : 1), valueCounts };
}

/**
 * When values carry no signal: `equal` compares them; `zeroDeviation` is the reference's computed standard deviation of
 * exactly 0, which keeps a group of equal floats whose mean is off by one rounding (three times 0.1).
 */
export type UniformTest = "equal" | "zeroDeviation";

function isUniform(values: readonly number[], test: UniformTest): boolean {
  if (test === "equal") return values.every((value) => value === values[0]);
  const mean = pairwiseSum(values) / values.length;
  return values.every((value) => value === mean);
}

function metricValue(uid: string, metric: string, extra: Readonly<Record<string, JsonValue>>): number {
  const value = Object.hasOwn(extra, metric) ? extra[metric] : undefined;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  const known = Object.keys(extra).join(", ") || "nothing";
  throw missing(
    uid,
    metric,
    value === undefined ? `a trajectory has only: ${known}` : `its value is ${JSON.stringify(value)}, not a number`,
  );
}

function missing(uid: string, metric: string, why: string): Error {
  return transferErrors.VERL_REPLAY_METRIC_MISSING({
    what: `prompt group ${uid} cannot be judged by the metric ${metric}`,
    why,
  });
}
