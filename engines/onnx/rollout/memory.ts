import { type ModelConfig, parameterSpecs } from "../../../core/formats/index.js";
import { kvCacheBytes } from "./kv-cache.js";

/** Bytes that an inference server of this engine holds while it is awake, activations aside. */
export interface RolloutMemory {
  /** Freed by sleep level 2. */
  readonly weights: number;
  /** Freed by every sleep, unless it is small (`keepCacheMiB`). */
  readonly kvCache: number;
  readonly logits: number;
}

/** Whether a sleep keeps the cache: making it anew would cost more than it frees. */
export const kvCacheStays = (bytes: number, keepCacheMiB: number): boolean => bytes <= keepCacheMiB * 2 ** 20;

export function rolloutMemory(
  config: ModelConfig,
  { maxNumSeqs, maxModelLen }: { readonly maxNumSeqs: number; readonly maxModelLen: number },
): RolloutMemory {
  const parameters = parameterSpecs(config).reduce((sum, { shape }) => sum + shape.reduce((n, d) => n * d, 1), 0);
  return {
    // As pushed, and once more in the layout that onnxruntime multiplies with.
    weights: 2 * 4 * parameters,
    kvCache: kvCacheBytes(config, maxNumSeqs, maxModelLen),
    logits: 4 * maxNumSeqs * config.vocabSize,
  };
}
