import type { NamedTensor } from "../data/batch/tensor.js";
import type { Awaitable, CallOptions } from "../host/types.js";
import type { GenerateRequest, MemoryTag, RolloutCapabilities, TokenOutput, WeightUpdate } from "./rollout.js";

/** A request that has passed `checkRequest`, with its budget settled. */
export interface CheckedRequest extends GenerateRequest {
  /** New tokens at most; prompt and response fit the model. */
  readonly maxTokens: number;
}

/**
 * The part of an inference server that differs from one to the next. `composeReplica` makes a `RolloutReplica` of it:
 * checks of requests, pausing, sleeping, aborting, counting and addresses are written once, there.
 */
export interface ReplicaBackend {
  /** Ids that prompts may hold. Known after `launch`. */
  readonly vocabSize: number;
  readonly capabilities: RolloutCapabilities;
  /** False while requests cannot be served for lack of weights. */
  readonly hasWeights: boolean;
  /** Version of the weights held; −1 before the first update. `setWeightVersion` writes it. */
  weightVersion: number;
  launch(options?: CallOptions): Awaitable<void>;
  /** Serve one request; when the signal fires, resolve soon with `aborted` and the tokens drawn so far. */
  generate(request: CheckedRequest, signal: AbortSignal): Promise<TokenOutput>;
  /** Nothing is running when this is called, nor until `acquire`. `weights` comes with sleep level 2 only. */
  release(tags: readonly MemoryTag[]): Awaitable<void>;
  acquire(tags: readonly MemoryTag[]): Awaitable<void>;
  /** Forget prefixes that are kept for later requests. */
  clearKvCache(): Awaitable<void>;
  /**
   * Drain the stream, then switch to these weights and this version between two tokens. An error leaves the old
   * weights and version in use. Absent where weights reach the server by another way than its adapter.
   */
  updateWeights?(weights: AsyncIterable<NamedTensor>, update: WeightUpdate): Promise<void>;
  dispose(): Awaitable<void>;
}
