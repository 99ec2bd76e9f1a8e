import { transferErrors } from "./errors.js";
import { isPromptStatus, isTerminal } from "./prompt-tag.js";
import type { PromptStatus } from "./replay-buffer.js";

/** `sync-refill`: sync that replaces failed groups without any trajectory. */
export type SamplingMode = "sync" | "sync-refill" | "async";

export interface PromptGroup {
  readonly uid: string;
  /** Step at which the prompt was dispatched. */
  readonly globalSteps: number;
  readonly status: PromptStatus;
  /** Trajectories stored. */
  readonly trajectories: number;
}

export interface EvictionRule {
  readonly mode: SamplingMode;
  /** Step that samples. */
  readonly step: number;
  readonly maxOffPolicyThreshold: number;
  readonly maxOffPolicyStrategy: "drop" | "wait";
}

export interface EvictionResult {
  /** step − globalSteps + 1, by uid. */
  readonly staleness: ReadonlyMap<string, number>;
  /** uids, sorted. */
  readonly evicted: readonly string[];
  /** Finished groups evicted for their age; part of `evicted`. */
  readonly stale: readonly string[];
  /** Groups evicted because they failed; part of `evicted`. */
  readonly failed: readonly string[];
  /** Prompts to ask for in place of the evicted ones. */
  readonly refill: number;
  /** uids that may be sampled, oldest dispatch first, ties in the order given. */
  readonly sampleable: readonly string[];
  /** Strategy `wait`: nothing may be sampled while a running prompt has reached the threshold. */
  readonly blocked: boolean;
}

/**
 * Which prompt groups are too old or failed, and which may be sampled. Staleness is step − dispatch step + 1. Async,
 * `drop`: finished groups **beyond** the threshold go. Async, `wait`: none goes for its age, but sampling is blocked while
 * a pending or running one is **at** the threshold. Async evicts every failed group, sync keeps them, and `sync-refill`
 * evicts those without any trajectory.
 */
export function evictGroups(groups: readonly PromptGroup[], rule: EvictionRule): EvictionResult {
  const { mode, step, maxOffPolicyThreshold: threshold, maxOffPolicyStrategy: strategy } = rule;
  const staleness = new Map<string, number>();
  const stale: string[] = [];
  const failed: string[] = [];
  const kept: PromptGroup[] = [];
  let blocked = false;
  for (const group of groups) {
    const { uid, status } = group;
    requireStatus(uid, status);
    const age = step - group.globalSteps + 1;
    staleness.set(uid, age);
    if (!isTerminal(status)) {
      blocked ||= mode === "async" && strategy === "wait" && age >= threshold;
    } else if (status === "failure" && (mode === "async" || (mode === "sync-refill" && group.trajectories === 0))) {
      failed.push(uid);
    } else if (status === "finished" && mode === "async" && strategy === "drop" && age > threshold) {
      stale.push(uid);
    } else {
      kept.push(group);
    }
  }
  const evicted = [...stale, ...failed].sort();
  const sampleable = kept.sort((a, b) => a.globalSteps - b.globalSteps).map((group) => group.uid);
  return { staleness, evicted, stale, failed, refill: evicted.length, sampleable, blocked };
}

export function requireStatus(uid: string, status: unknown): asserts status is PromptStatus {
  if (!isPromptStatus(status)) {
    throw transferErrors.VERL_REPLAY_BAD_TAG({
      what: `prompt ${uid} has the status ${JSON.stringify(status)}, expected pending, running, finished or failure`,
    });
  }
}
