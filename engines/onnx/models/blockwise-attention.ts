import { type Autodiff, type Graph, MICROSOFT, once, type Ref } from "../ir/index.js";
import { type AttentionShape, headLayout, isWithin, MASKED, softcap } from "./attention.js";
import { type KeyRange, slidingSums, wholeSums } from "./key-sums.js";

export interface Blocks {
  /** Queries of one block. */
  readonly rows: number;
  /** Tokens that a query sees, itself included; null: all before it. */
  readonly window: number | null;
}

/**
 * The same function as {@link attention} for long sequences, a block of queries after another in a loop: only one block's
 * [B, heads, rows, keys] arrays are alive, so memory grows with T instead of T². A block's softmax is exact, over all keys
 * that its queries see; keys after them or before their windows are left out of the products, so that with a window time
 * grows with T as well. The backward pass computes a block's weights again from queries and keys (as Dao et al.,
 * 2205.14135), which costs one more product of five.
 */
export function blockwiseAttention(ad: Autodiff, q: Ref, k: Ref, v: Ref, blocks: Blocks, shape: AttentionShape): Ref {
  const g = ad.graph;
  const { rows, window } = blocks;
  const outer = headLayout(g, shape);
  const [kh, vh] = [outer.splitKey(k), outer.splitKey(v)];
  const length = g.op("Shape", [q], { start: 1, end: 2 });
  const count = g.op("Div", [g.op("Add", [length, g.ints(rows - 1)]), g.ints(rows)]);
  const iterations = g.op("Squeeze", [count, g.ints(0)]);
  /** [blocks, B, rows, heads · headDim] → [B, T, heads · headDim] */
  const join = (parts: Ref) => {
    const inOrder = g.op("Transpose", [parts], { perm: [1, 0, 2, 3] });
    const joined = g.op("Reshape", [inOrder, g.ints(0, -1, shape.numHeads * shape.headDim)]);
    return g.op("Slice", [joined, g.ints(0), length, g.ints(1)]);
  };

  const forward = g.loop(iterations, [], (b, i) => {
    const block = blockAt(b, i, length, { ...blocks, ...shape });
    const { weights } = block.weights(block.queries(q), block.keys(kh));
    return { next: [], collected: [block.merge(b.op("MatMul", [weights, block.keys(vh)]))] };
  });
  const mixed = join(forward.collected[0]);
  return ad.record(mixed, [q, k, v], (dy) => {
    const gradients = once(() => {
      const keySums = { keys: kh, length, count, rows };
      const sums = window === null ? wholeSums(g, keySums) : slidingSums(g, window, keySums);
      const backward = g.loop(iterations, [sums.zeros, sums.zeros], (b, i, [sumKeys, sumValues]) => {
        const multiply = (x: Ref, y: Ref, attributes = {}) => b.op("FusedMatMul", [x, y], attributes, MICROSOFT);
        const block = blockAt(b, i, length, { ...blocks, ...shape });
        const [qi, ki, vi] = [block.queries(q), block.keys(kh), block.keys(vh)];
        const [dMixed, ofBlock] = [block.queries(dy), block.queries(mixed)];
        const { weights, slope } = block.weights(qi, ki);
        const rowSum = b.op("ReduceSum", [b.op("Mul", [dMixed, ofBlock]), b.ints(-1)], { keepdims: 1 });
        const dWeights = b.op("Sub", [multiply(dMixed, vi, { transB: 1 }), rowSum]);
        const dCapped = b.op("Mul", [weights, dWeights]);
        const dScores = slope ? b.op("Mul", [dCapped, slope()]) : dCapped;
        const alpha = { float: shape.scale };
        const dQueries = block.merge(multiply(dScores, ki, { alpha }));
        const dKeys = sums.add(b, sumKeys, multiply(dScores, qi, { transA: 1, alpha }), block.range);
        const dValues = sums.add(b, sumValues, multiply(weights, dMixed, { transA: 1 }), block.range);
        return { next: [dKeys.next, dValues.next], collected: [dQueries, ...dKeys.finished, ...dValues.finished] };
      });
      const [dQueries, ...finished] = backward.collected;
      const half = finished.length / 2;
      const [dKeys, dValues] = backward.next;
      return {
        queries: join(dQueries),
        keys: outer.mergeKey(sums.total(dKeys, finished.slice(0, half))),
        values: outer.mergeKey(sums.total(dValues, finished.slice(half))),
      };
    });
    return [() => gradients().queries, () => gradients().keys, () => gradients().values];
  });
}

/** What block `index` takes of whole arrays, and puts back. */
function blockAt(g: Graph, index: Ref, length: Ref, shape: AttentionShape & Blocks) {
  const { rows, window, numHeads, numKvHeads } = shape;
  const group = numHeads / numKvHeads;
  const heads = headLayout(g, shape);
  const start = g.op("Mul", [g.op("Unsqueeze", [index, g.ints(0)]), g.ints(rows)]);
  const end = g.op("Min", [g.op("Add", [start, g.ints(rows)]), length]);
  const firstKey = window === null ? g.ints(0) : g.op("Max", [g.op("Sub", [start, g.ints(window - 1)]), g.ints(0)]);
  const positions = (from: Ref) => {
    const scalar = (x: Ref) => g.op("Squeeze", [x, g.ints(0)]);
    return g.op("Range", [scalar(from), scalar(end), g.int(1)]);
  };
  /** 0 where a query may look, [rows, keys]. */
  const mask = () => {
    const [query, key] = [
      g.op("Unsqueeze", [positions(start), g.ints(1)]),
      g.op("Unsqueeze", [positions(firstKey), g.ints(0)]),
    ];
    const isPast = g.op("GreaterOrEqual", [query, key]);
    const isSeen = window === null ? isPast : g.op("And", [isPast, isWithin(g, query, key, window)]);
    return g.op("Where", [isSeen, g.scalar(0), g.scalar(MASKED)]);
  };
  const cut = (x: Ref, from: Ref, axis: number) => g.op("Slice", [x, from, end, g.ints(axis)]);
  return {
    range: { start, firstKey, end } satisfies KeyRange,
    /** [B, T, heads · headDim] → [B, kvHeads, group · rows, headDim]; the last block may have fewer rows. */
    queries: (x: Ref) => heads.splitQuery(cut(x, start, 1)),
    /** [B, kvHeads, T, headDim] → [B, kvHeads, keys, headDim] */
    keys: (x: Ref) => cut(x, firstKey, 2),
    /** [B, kvHeads, group · rows, keys] */
    weights(q: Ref, k: Ref) {
      const product = (factor: number) =>
        g.op("FusedMatMul", [q, k], { transB: 1, alpha: { float: factor } }, MICROSOFT);
      const [capped, slope] = softcap(g, product, shape);
      // The heads of a group share the mask: a dimension of their own instead of copies of it.
      const perHead = group === 1 ? capped : g.op("Reshape", [capped, headShape(g, k, group)]);
      const weights = g.op("Softmax", [g.op("Add", [perHead, mask()])], { axis: -1 });
      const joined = group === 1 ? weights : g.op("Reshape", [weights, g.op("Shape", [capped])]);
      return { weights: joined, slope };
    },
    /** [B, kvHeads, group · rows, headDim] → [B, rows, heads · headDim], in the last block with zeros below. */
    merge(x: Ref) {
      const missing = g.op("Sub", [g.op("Add", [start, g.ints(rows)]), end]);
      return g.op("Pad", [heads.mergeQuery(x), g.op("Concat", [g.ints(0, 0, 0, 0), missing, g.ints(0)], { axis: 0 })]);
    },
  };
}

/** [0, 0, group, −1, keys] */
function headShape(g: Graph, keys: Ref, group: number): Ref {
  return g.op("Concat", [g.ints(0, 0, group, -1), g.op("Shape", [keys], { start: 2, end: 3 })], { axis: 0 });
}
