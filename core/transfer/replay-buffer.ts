import type { KVBatchMeta } from "../data/batch/kv-batch-meta.js";
import type { CallOptions } from "../host/types.js";
import type { TransferQueue } from "./transfer-queue.js";

export type PromptStatus = "pending" | "running" | "finished" | "failure";

export interface SampleRequest extends CallOptions {
  readonly globalStep: number;
  readonly partition: "train" | "val";
  /** Prompt groups wanted. */
  readonly groups: number;
  /** Milliseconds to wait before `VERL_REPLAY_TIMEOUT`, which names the stuck prompts (uid, status, age). */
  readonly deadlineMs: number;
  /** Groups without a single trajectory are no error in partition `train`: the caller has others. Default false. */
  readonly allowEmpty?: boolean;
}

export interface SampleResult {
  /** All trajectory keys and tags of the chosen groups, ordered by (draw, session, index). */
  readonly batch: KVBatchMeta;
  /** `training/…` or `validation/…` metrics of the wait; keys absent when nothing happened. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Groups that had a failed session, by uid. */
  readonly failedGroups: readonly string[];
}

/**
 * Decides which finished prompt groups train next. Woken by the queue's revision, never polling. Clears the chosen
 * prompt keys at once; trajectories stay until the trainer clears them.
 */
export interface ReplayBuffer {
  sample(request: SampleRequest): Promise<SampleResult>;
  /** Groups that `sample` could take now. */
  sampleableCount(globalStep: number, partition: "train" | "val"): Promise<number>;
}

export interface ReplayBufferOptions {
  readonly queue: TransferQueue;
  readonly trainerMode: string;
  readonly maxOffPolicyThreshold: number;
  readonly maxOffPolicyStrategy: "drop" | "wait";
  /** Ask the trainer for that many further prompts. */
  readonly refill: ((count: number) => Promise<void>) | null;
  /** Mode `sync`: replace failed groups that have no trajectory, instead of reporting the shortfall. Needs `refill`. */
  readonly syncRefillFailedGroups?: boolean;
  readonly samplerKwargs: Readonly<Record<string, unknown>>;
}

export interface ReplayBufferFactory {
  readonly name: string;
  create(options: ReplayBufferOptions): ReplayBuffer;
}
