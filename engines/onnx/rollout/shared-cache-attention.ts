import type { ModelConfig } from "../../../core/formats/index.js";
import { MICROSOFT } from "../ir/index.js";
import { cacheLayouts } from "./cache-layout.js";
import { type AttentionOp, DECODE, type DecodeInputs } from "./decode-graph.js";
import { splitHeads } from "./split-heads.js";

/** Further inputs of the graph with a shared cache. */
export const SHARED_CACHE = {
  /** int32 [B]: index of each row's last token after this call. */
  lastPosition: "last_position",
  /** int32 scalar: S where rows start from nothing, else more than S. */
  total: "total",
} as const;

/** GroupQueryAttention takes heads of certain sizes only, fewer of them where it rotates. */
export function canShareCache({ headDim, ropes }: ModelConfig): boolean {
  return headDim % (ropes.length > 0 ? 16 : 8) === 0;
}

/**
 * onnxruntime's GroupQueryAttention over a cache [B, kvHeads, rows, headDim] that is input and output in the same memory:
 * it writes the new keys and values in place, rotates queries and keys, and reads no more of a sequence than the cache
 * holds. Where the cache holds the latest tokens only, it also moves them; positions remain those in the sequence.
 */
export function sharedCacheAttention(config: ModelConfig, maxLength: number) {
  const { numHeads, numKvHeads, headDim, attentionSoftcap } = config;
  const [queryWidth, keyWidth] = [numHeads * headDim, numKvHeads * headDim];
  const layouts = cacheLayouts(config, maxLength);
  return ({ graph: g, ropes, toGrid, toRows }: DecodeInputs): AttentionOp => {
    const lastPosition = g.input(SHARED_CACHE.lastPosition, ["B"], "int32");
    const total = g.input(SHARED_CACHE.total, [], "int32");
    return (layer, qkv, norm) => {
      const { rope, window, attentionScale } = config.layers[layer];
      const projected =
        config.names.layer.queryNorm !== undefined
          ? splitHeads(g, config, layer, qkv, norm).map((x, i) => toGrid(x, i === 0 ? queryWidth : keyWidth))
          : [toGrid(qkv, queryWidth + 2 * keyWidth), null, null];
      const cacheShape = ["B", numKvHeads, layouts[layer].rows, headDim];
      const pastKey = g.input(DECODE.past(layer, "key"), cacheShape);
      const pastValue = g.input(DECODE.past(layer, "value"), cacheShape);
      const tables = rope === null ? [] : [ropes[rope].cos, ropes[rope].sin];
      const [mixed, presentKey, presentValue] = g.opMany(
        "GroupQueryAttention",
        [...projected, pastKey, pastValue, lastPosition, total, ...tables],
        3,
        {
          num_heads: numHeads,
          kv_num_heads: numKvHeads,
          do_rotary: rope === null ? 0 : 1,
          ...(attentionScale === 1 / Math.sqrt(headDim) ? {} : { scale: { float: attentionScale } }),
          ...(window === null ? {} : { local_window_size: window }),
          ...(layouts[layer].slides ? { sliding_window_cache: 1 } : {}),
          ...(attentionSoftcap === null ? {} : { softcap: { float: attentionSoftcap } }),
        },
        MICROSOFT,
      );
      g.output(presentKey, DECODE.present(layer, "key"), cacheShape);
      g.output(presentValue, DECODE.present(layer, "value"), cacheShape);
      return toRows(mixed, queryWidth);
    };
  };
}
