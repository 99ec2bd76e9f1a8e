import type { OptimizerConfig } from "../../../core/plugin.js";
import type { UpdateKernels } from "./kernels.js";

export interface AdamWUpdate {
  readonly lr: number;
  readonly gradScale: number;
  readonly optimizer: OptimizerConfig;
}

/** AdamW with decoupled weight decay (Loshchilov & Hutter, 1711.05101) on every parameter. */
export class AdamW {
  /** Updates done. */
  steps = 0;

  constructor(private readonly shards: readonly UpdateKernels[]) {}

  update({ lr, gradScale, optimizer }: AdamWUpdate): void {
    this.steps++;
    const [beta1, beta2] = optimizer.betas;
    const scalars = {
      gradScale,
      beta1,
      beta2,
      decay: 1 - lr * optimizer.weightDecay,
      stepSize: lr / (1 - beta1 ** this.steps),
      rootCorrection: 1 / Math.sqrt(1 - beta2 ** this.steps),
      eps: optimizer.eps,
    };
    for (const shard of this.shards) shard.adamw(scalars);
  }

  gradNorm(): number {
    return Math.sqrt(this.shards.reduce((sum, shard) => sum + shard.gradientSquareSum(), 0));
  }
}
