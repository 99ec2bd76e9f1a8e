import type { OptimizerConfig } from "../../../core/plugin.js";
import type { UpdateKernels } from "./kernels.js";

/** A parameter in a shard. */
export interface ShardParameter {
  readonly shape: readonly number[];
  /** First element. */
  readonly offset: number;
  readonly length: number;
}

/** Parameters that are updated by one rule, back to back in one piece of memory. */
export interface UpdateShard {
  readonly kernels: UpdateKernels;
  readonly parameters: readonly ShardParameter[];
}

/** One update of a shard. */
export interface UpdateStep {
  /** Updates done, this one included. */
  readonly steps: number;
  /** With the group's factor in it. */
  readonly lr: number;
  readonly gradScale: number;
  /** 0 in groups that do not decay. */
  readonly weightDecay: number;
  readonly optimizer: OptimizerConfig;
}

/** How a group of parameters is updated from its gradients. */
export interface UpdateRule {
  /** Names of the arrays that are kept per element, as in checkpoints. */
  readonly state: readonly string[];
  update(shard: UpdateShard, step: UpdateStep): Promise<void> | void;
}
