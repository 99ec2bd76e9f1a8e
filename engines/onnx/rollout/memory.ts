import type { ModelConfig } from "../../../core/formats/index.js";
import { elementCount } from "../runtime/index.js";
import { decodeParameters, matrixShape } from "./decode-parameters.js";
import { kvCacheBytes } from "./kv-cache.js";
import type { Quantization } from "./quantization.js";
import { quantizedBytes } from "./quantized-matrix.js";

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

export interface RolloutShape {
  readonly maxNumSeqs: number;
  readonly maxModelLen: number;
  readonly quantization?: Quantization | null;
}

/** What a server of these options holds, before anything is loaded. */
export function rolloutMemory(
  config: ModelConfig,
  { maxNumSeqs, maxModelLen, quantization = null }: RolloutShape,
): RolloutMemory {
  const bytes = decodeParameters(config, quantization).map((parameter) =>
    parameter.bits === null
      ? 4 * elementCount(parameter.shape)
      : quantizedBytes(matrixShape(parameter), parameter.bits),
  );
  return {
    // As pushed or rounded, and once more in the layout that onnxruntime multiplies with.
    weights: 2 * bytes.reduce((sum, n) => sum + n, 0),
    kvCache: kvCacheBytes(config, maxNumSeqs, maxModelLen),
    logits: 4 * maxNumSeqs * config.vocabSize,
  };
}
