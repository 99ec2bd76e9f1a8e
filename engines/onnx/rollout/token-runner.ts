import type { OrtSession } from "../runtime/index.js";

/** A session with the weights in it. */
export interface LoadedWeights {
  readonly session: OrtSession;
  readonly version: number;
}

/** Next-token logits of the rows of one call. Valid until the next call. */
export interface LogitRows {
  /** [V] */
  row(index: number): Float32Array;
  /** Version of the weights that computed them. */
  readonly weightVersion: number;
}

/**
 * A model with its cache, for the batcher: sequences live in slots 0, 1, 2, …; calls do not overlap. The logits of a
 * sequence do not depend on its slot or on the other rows.
 */
export interface TokenRunner {
  readonly slots: number;
  /** Version of the weights that the next call will use. */
  readonly weightVersion: number;
  /** Fill the slots from `first` on with whole prompts; logits after their last tokens. */
  prefill(first: number, prompts: readonly ArrayLike<number>[]): Promise<LogitRows>;
  /** Append one token to each of the first slots; `lengths` are the slots' lengths before. */
  decode(tokens: readonly number[], lengths: readonly number[]): Promise<LogitRows>;
  /** Copy the first `length` tokens of a slot over another. */
  copy(from: number, to: number, length: number): void;
  /** Give the cache back. */
  release(): void;
}
