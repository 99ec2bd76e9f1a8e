import type { ModelConfig } from "../../../core/formats/index.js";
import { type Graph, MICROSOFT, type Ref } from "../ir/index.js";
import { causalMask, isWithin, MASKED } from "../models/attention.js";
import { type CacheLayout, cacheLayouts } from "./cache-layout.js";
import { type AttentionOp, DECODE, type DecodeInputs } from "./decode-graph.js";
import { splitHeads } from "./split-heads.js";

/** Further inputs of the graph with a cache that is only read, for each of the cache's layouts. */
export const PLAIN = {
  /** float32 [B, 1, 1, rows]: 0 where a row's cache holds a token, a large negative number elsewhere. */
  pastMask: ({ window }: CacheLayout) => (window === null ? "past_mask" : `past_mask_${window}`),
  /** int64 [B, S]: the cache's rows in which the new tokens would come to lie; in layouts with a window. */
  newRows: ({ window }: CacheLayout) => `new_rows_${window}`,
} as const;

/**
 * Attention in standard operators, for heads that GroupQueryAttention does not take and for runtimes that cannot share
 * memory between input and output. The cache [B, kvHeads, rows, headDim] is read whole, and the outputs are the new tokens'
 * keys and values alone, [B, kvHeads, S, headDim].
 *
 * The softmax always ranges over S + rows numbers: sums of another length would be rounded in another order.
 */
export function plainAttention(config: ModelConfig, maxLength: number) {
  const { numHeads, numKvHeads, headDim, attentionSoftcap: cap } = config;
  const group = numHeads / numKvHeads;
  const [queryWidth, keyWidth] = [numHeads * headDim, numKvHeads * headDim];
  const layouts = cacheLayouts(config, maxLength);
  return (inputs: DecodeInputs): AttentionOp => {
    const { graph: g, toGrid, toRows } = inputs;
    const positions = inputs.positions();
    const masks = new Map([...new Set(layouts)].map((layout) => [layout, masksOf(inputs, layout, group)]));
    const heads = headLayout(g, numKvHeads, group, headDim);
    return (layer, qkv, norm) => {
      const { rope, attentionScale } = config.layers[layer];
      const { rows } = layouts[layer];
      const mask = masks.get(layouts[layer]) as Masks;
      const split = splitHeads(g, config, layer, qkv, norm);
      const turn = (x: Ref) => {
        if (rope === null) return x;
        return g.op("RotaryEmbedding", [x, positions, inputs.ropes[rope].cos, inputs.ropes[rope].sin], {}, MICROSOFT);
      };
      const q = heads.splitQuery(turn(toGrid(split[0], queryWidth)));
      const k = heads.splitKey(turn(toGrid(split[1], keyWidth)));
      const v = heads.splitKey(toGrid(split[2], keyWidth));
      const cacheShape = ["B", numKvHeads, rows, headDim];
      const pastKey = g.input(DECODE.past(layer, "key"), cacheShape);
      const pastValue = g.input(DECODE.past(layer, "value"), cacheShape);
      g.output(k, DECODE.present(layer, "key"), ["B", numKvHeads, "S", headDim]);
      g.output(v, DECODE.present(layer, "value"), ["B", numKvHeads, "S", headDim]);

      const scores = (keys: Ref) => {
        const alpha = { float: cap === null ? attentionScale : attentionScale / cap };
        const product = g.op("FusedMatMul", [q, keys], { transB: 1, alpha }, MICROSOFT);
        return cap === null ? product : g.op("Mul", [g.op("Tanh", [product]), g.scalar(cap)]);
      };
      const toPast = g.op("Add", [scores(pastKey), mask.past]);
      const toNew = g.op("Add", [scores(k), mask.causal]);
      const weights = g.op("Softmax", [g.op("Concat", [toPast, toNew], { axis: 3 })], { axis: -1 });
      const from = (start: Ref, end: Ref) => g.op("Slice", [weights, start, end, g.ints(3)]);
      const ofPast = g.op("MatMul", [from(g.ints(0), g.ints(rows)), pastValue]);
      const ofNew = g.op("MatMul", [from(g.ints(rows), g.ints(2 ** 31 - 1)), v]);
      return toRows(heads.mergeQuery(g.op("Add", [ofPast, ofNew])), queryWidth);
    };
  };
}

interface Masks {
  /** Added to scores of the cache, [B, 1, 1 or group · S, rows]. */
  readonly past: Ref;
  /** Added to scores of the new tokens, [group · S, S]. */
  readonly causal: Ref;
}

function masksOf({ graph: g, ids }: DecodeInputs, layout: CacheLayout, group: number): Masks {
  const { rows, window } = layout;
  const length = g.op("Squeeze", [g.op("Shape", [ids], { start: 1 }), g.ints(0)]);
  const causal = causalMask(g, length, group, window);
  const held = g.input(PLAIN.pastMask(layout), ["B", 1, 1, rows]);
  if (window === null) return { causal, past: held };
  const query = g.op("Unsqueeze", [g.input(PLAIN.newRows(layout), ["B", "S"], "int64"), g.ints(2)]);
  const key = g.op("Range", [g.int(0), g.int(rows), g.int(1)]);
  const mask = g.op("Where", [isWithin(g, query, key, window), g.scalar(0), g.scalar(MASKED)]);
  const ofGroup = group === 1 ? mask : g.op("Concat", Array<Ref>(group).fill(mask), { axis: 1 });
  return { causal, past: g.op("Add", [held, g.op("Unsqueeze", [ofGroup, g.ints(1)])]) };
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
