import type { OptimizerConfig } from "../../../core/plugin.js";
import { AVERAGE, type ParameterGroup } from "./parameter-groups.js";
import type { UpdateShard } from "./update-rule.js";

/** A shard with the group that its parameters belong to. */
export interface GroupedShard extends UpdateShard {
  readonly group: ParameterGroup;
}

export interface OptimizerUpdate {
  readonly lr: number;
  readonly gradScale: number;
  readonly optimizer: OptimizerConfig;
}

/** Updates parameters shard by shard, each by the rule of its group, and keeps their moving average where one is wanted. */
export class Optimizer {
  /** Updates done. */
  steps = 0;

  constructor(
    /** As in checkpoints. */
    readonly name: string,
    readonly shards: readonly GroupedShard[],
  ) {}

  async update({ lr, gradScale, optimizer }: OptimizerUpdate): Promise<void> {
    const steps = ++this.steps;
    for (const shard of this.shards) {
      const { rule, lrScale, decays } = shard.group;
      const weightDecay = decays ? optimizer.weightDecay : 0;
      await rule.update(shard, { steps, lr: lr * lrScale, gradScale, weightDecay, optimizer });
      if (optimizer.emaDecay != null && hasAverage(shard)) shard.kernels.average(1 - optimizer.emaDecay);
    }
  }

  zeroGrad(): void {
    for (const { kernels } of this.shards) kernels.gradients.fill(0);
  }

  /** Global L2 norm of the gradients. */
  gradNorm(): number {
    return Math.sqrt(this.shards.reduce((sum, { kernels }) => sum + kernels.gradientSquareSum(), 0));
  }

  get keepsAverage(): boolean {
    return this.shards.some(hasAverage);
  }

  /** Let the moving average begin at the present weights. */
  restartAverage(): void {
    for (const shard of this.shards.filter(hasAverage)) averageOf(shard).set(shard.kernels.values);
  }

  /** Run `body` while the weights are their moving average. */
  async withAverage<T>(body: () => Promise<T>): Promise<T> {
    this.swapAverage();
    try {
      return await body();
    } finally {
      this.swapAverage();
    }
  }

  /** Weights and their moving average change places. */
  swapAverage(): void {
    for (const shard of this.shards.filter(hasAverage)) {
      const average = averageOf(shard);
      const { values } = shard.kernels;
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        values[i] = average[i];
        average[i] = value;
      }
    }
  }
}

const hasAverage = ({ group }: GroupedShard) => group.state.includes(AVERAGE);
const averageOf = ({ kernels }: GroupedShard) => kernels.state[kernels.state.length - 1];
