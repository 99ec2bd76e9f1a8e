import type { OrtSession } from "../runtime/index.js";
import type { SavedTokens } from "./kv-cache.js";

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
  /** Layers forget what lies before their windows. */
  readonly forgets: boolean;
  /** Whether a slot still has what is needed to go on from its first `length` tokens. */
  keeps(slot: number, length: number): boolean;
  /** Save that, while the slot has it. */
  save(slot: number, length: number): SavedTokens;
  /** Copy the first `length` tokens of a slot, which keeps them or had them saved, over another; or all, where it holds fewer. */
  copy(from: number, to: number, length: number, saved?: SavedTokens | null): void;
  /** Give the cache back. */
  release(): void;
}
