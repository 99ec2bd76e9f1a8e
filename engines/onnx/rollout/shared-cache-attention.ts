import type { ModelConfig } from "../../../core/formats/index.js";
import { MICROSOFT } from "../ir/index.js";
import { type AttentionOp, DECODE, type DecodeInputs } from "./decode-graph.js";

/** Further inputs of the graph with a shared cache. */
export const SHARED_CACHE = {
  /** int32 [B]: index of each row's last token after this call. */
  lastPosition: "last_position",
  /** int32 scalar: S where rows start from nothing, else more than S. */
  total: "total",
} as const;

/** GroupQueryAttention rotates heads of these sizes only. */
export function canShareCache({ headDim }: ModelConfig): boolean {
  return headDim % 16 === 0;
}

/**
 * onnxruntime's GroupQueryAttention over a cache [B, kvHeads, L, headDim] that is input and output in the same memory:
 * it writes the new keys and values in place, rotates queries and keys, and reads no more of a row than the row holds.
 */
export function sharedCacheAttention(config: ModelConfig, maxLength: number) {
  const { numHeads, numKvHeads, headDim } = config;
  const cacheShape = ["B", numKvHeads, maxLength, headDim];
  return ({ graph: g, cos, sin, toGrid, toRows }: DecodeInputs): AttentionOp => {
    const lastPosition = g.input(SHARED_CACHE.lastPosition, ["B"], "int32");
    const total = g.input(SHARED_CACHE.total, [], "int32");
    return (layer, qkv) => {
      const query = toGrid(qkv, (numHeads + 2 * numKvHeads) * headDim);
      const pastKey = g.input(DECODE.past(layer, "key"), cacheShape);
      const pastValue = g.input(DECODE.past(layer, "value"), cacheShape);
      const [mixed, presentKey, presentValue] = g.opMany(
        "GroupQueryAttention",
        [query, null, null, pastKey, pastValue, lastPosition, total, cos, sin],
        3,
        { num_heads: numHeads, kv_num_heads: numKvHeads, do_rotary: 1 },
        MICROSOFT,
      );
      g.output(presentKey, DECODE.present(layer, "key"), cacheShape);
      g.output(presentValue, DECODE.present(layer, "value"), cacheShape);
      return toRows(mixed, numHeads * headDim);
    };
  };
}
