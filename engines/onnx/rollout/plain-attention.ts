import type { ModelConfig } from "../../../core/formats/index.js";
import { type Graph, MICROSOFT, type Ref } from "../ir/index.js";
import { causalMask } from "../models/attention.js";
import { type AttentionOp, DECODE, type DecodeInputs } from "./decode-graph.js";

/** Further inputs of the graph with a cache that is only read. */
export const PLAIN = {
  /** int64 [B, S]: index of each new token in its sequence. */
  positions: "positions",
  /** float32 [B, 1, 1, L]: 0 where a row's cache holds a token, a large negative number elsewhere. */
  pastMask: "past_mask",
} as const;

/**
 * Attention in standard operators, for heads that GroupQueryAttention does not take and for runtimes that cannot share
 * memory between input and output. The cache [B, kvHeads, L, headDim] is read whole, and the outputs are the new tokens'
 * keys and values alone, [B, kvHeads, S, headDim].
 *
 * The softmax always ranges over S + L numbers: sums of another length would be rounded in another order.
 */
export function plainAttention(config: ModelConfig, maxLength: number) {
  const { numHeads, numKvHeads, headDim } = config;
  const group = numHeads / numKvHeads;
  const [queryWidth, keyWidth] = [numHeads * headDim, numKvHeads * headDim];
  const alpha = { float: 1 / Math.sqrt(headDim) };
  return ({ graph: g, ids, cos, sin, toGrid, toRows }: DecodeInputs): AttentionOp => {
    const positions = g.input(PLAIN.positions, ["B", "S"], "int64");
    const pastMask = g.input(PLAIN.pastMask, ["B", 1, 1, maxLength]);
    const length = g.op("Squeeze", [g.op("Shape", [ids], { start: 1 }), g.ints(0)]);
    const mask = causalMask(g, length, group);
    const rotate = (x: Ref) => g.op("RotaryEmbedding", [x, positions, cos, sin], {}, MICROSOFT);
    const heads = headLayout(g, numKvHeads, group, headDim);
    const scores = (q: Ref, k: Ref) => g.op("FusedMatMul", [q, k], { transB: 1, alpha }, MICROSOFT);
    return (layer, qkv) => {
      const split = g.opMany("Split", [qkv, g.ints(queryWidth, keyWidth, keyWidth)], 3, { axis: 1 });
      const q = heads.splitQuery(rotate(toGrid(split[0], queryWidth)));
      const k = heads.splitKey(rotate(toGrid(split[1], keyWidth)));
      const v = heads.splitKey(toGrid(split[2], keyWidth));
      const cacheShape = ["B", numKvHeads, maxLength, headDim];
      const pastKey = g.input(DECODE.past(layer, "key"), cacheShape);
      const pastValue = g.input(DECODE.past(layer, "value"), cacheShape);
      g.output(k, DECODE.present(layer, "key"), ["B", numKvHeads, "S", headDim]);
      g.output(v, DECODE.present(layer, "value"), ["B", numKvHeads, "S", headDim]);

      const toPast = g.op("Add", [scores(q, pastKey), pastMask]);
      const toNew = g.op("Add", [scores(q, k), mask]);
      const weights = g.op("Softmax", [g.op("Concat", [toPast, toNew], { axis: 3 })], { axis: -1 });
      const from = (start: Ref, end: Ref) => g.op("Slice", [weights, start, end, g.ints(3)]);
      const ofPast = g.op("MatMul", [from(g.ints(0), g.ints(maxLength)), pastValue]);
      const ofNew = g.op("MatMul", [from(g.ints(maxLength), g.ints(2 ** 31 - 1)), v]);
      return toRows(heads.mergeQuery(g.op("Add", [ofPast, ofNew])), queryWidth);
    };
  };
}

/** The query heads of a group are further rows against their one key head: [B, kvHeads, group · S, headDim]. */
function headLayout(g: Graph, numKvHeads: number, group: number, headDim: number) {
  return {
    splitKey(x: Ref): Ref {
      return g.op("Transpose", [g.op("Reshape", [x, g.ints(0, 0, numKvHeads, headDim)])], { perm: [0, 2, 1, 3] });
    },
    splitQuery(x: Ref): Ref {
      const grouped = g.op("Reshape", [x, g.ints(0, 0, numKvHeads, group, headDim)]);
      const outer = g.op("Transpose", [grouped], { perm: [0, 2, 3, 1, 4] });
      return g.op("Reshape", [outer, g.ints(0, 0, -1, headDim)]);
    },
    mergeQuery(x: Ref): Ref {
      const split = g.op("Reshape", [x, g.ints(0, numKvHeads, group, -1, headDim)]);
      const inner = g.op("Transpose", [split], { perm: [0, 3, 1, 2, 4] });
      return g.op("Reshape", [inner, g.ints(0, 0, numKvHeads * group * headDim)]);
    },
  };
}
