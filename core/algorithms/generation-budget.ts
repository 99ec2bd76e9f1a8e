/**
 * Stop rule of dynamic sampling (DAPO, 2503.14476): after so many generation batches without enough usable groups the step
 * ends and says why, instead of generating for ever.
 */
import type { VerlError } from "../host/errors.js";
import { errors } from "./errors.js";

export class GenerationBudget {
  private batches = 0;
  private readonly uniform = new Map<number, number>();

  /** `maxBatches` as in `filter_groups.max_num_gen_batches`: 0 or less means no limit. */
  constructor(private readonly maxBatches: number) {}

  /**
   * A generated batch, with its dropped groups by the score that all their responses share. `batches` is 0 for a part of a
   * batch.
   */
  record(uniform: ReadonlyMap<number, number>, batches = 1): void {
    this.batches += batches;
    for (const [score, groups] of uniform) this.uniform.set(score, (this.uniform.get(score) ?? 0) + groups);
  }

  /** Whether the limit is reached. */
  get isSpent(): boolean {
    return this.maxBatches > 0 && this.batches >= this.maxBatches;
  }

  /** The error of a step that ends without enough groups, whatever its bound was. */
  exhausted(usable: number, needed: number): VerlError {
    const allZero = this.uniform.get(0) ?? 0;
    const allOne = this.uniform.get(1) ?? 0;
    const dropped = [...this.uniform.values()].reduce((a, b) => a + b, 0);
    return errors.VERL_ALGORITHMS_NO_SIGNAL({
      what: `${usable} of ${needed} groups with different rewards after ${this.batches} generation batches`,
      why: `${dropped} groups had equal rewards: ${allZero} all 0 (too hard), ${allOne} all 1 (too easy), ${dropped - allZero - allOne} other`,
      data: { batches: this.batches, usable, needed, allZero, allOne, dropped },
    });
  }
}
