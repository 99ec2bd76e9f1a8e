import { type Autodiff, type Graph, MICROSOFT, type Ref } from "../ir/index.js";

export interface AttentionShape {
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
}

/**
 * Causal attention with grouped queries (Ainslie et al., 2305.13245) over right-padded sequences; q is
 * [B, T, heads · headDim], k and v are [B, T, kvHeads · headDim].
 *
 * The query heads of a group are laid out as more rows against the one key head, [B, kvHeads, group · T, headDim], so
 * keys and values are never repeated and their gradients sum over the group in the product itself. A real token never
 * looks at a padded one, for padding is on the right; `mask` is the causal mask, [group · T, T].
 */
export function attention(ad: Autodiff, q: Ref, k: Ref, v: Ref, mask: Ref, shape: AttentionShape): Ref {
  const g = ad.graph;
  const heads = headLayout(g, shape);
  const alpha = { float: 1 / Math.sqrt(shape.headDim) };
  const multiply = (a: Ref, b: Ref, attributes = {}) => g.op("FusedMatMul", [a, b], attributes, MICROSOFT);

  const [qh, kh, vh] = [heads.splitQuery(q), heads.splitKey(k), heads.splitKey(v)];
  const scores = g.op("Add", [multiply(qh, kh, { transB: 1, alpha }), mask]);
  const weights = g.op("Softmax", [scores], { axis: -1 });
  const mixed = g.op("MatMul", [weights, vh]);
  return ad.record(heads.mergeQuery(mixed), [q, k, v], (dy) => {
    const dMixed = heads.splitQuery(dy);
    // Σ weights · dWeights over a row equals Σ dMixed · mixed, which is narrower.
    const rowSum = g.op("ReduceSum", [g.op("Mul", [dMixed, mixed]), g.ints(-1)], { keepdims: 1 });
    const dWeights = multiply(dMixed, vh, { transB: 1 });
    const dScores = g.op("Mul", [weights, g.op("Sub", [dWeights, rowSum])]);
    return [
      () => heads.mergeQuery(multiply(dScores, kh, { alpha })),
      () => heads.mergeKey(multiply(dScores, qh, { transA: 1, alpha })),
      () => heads.mergeKey(multiply(weights, dMixed, { transA: 1 })),
    ];
  });
}

/** 0 where a query may look, a large negative number elsewhere: [group · T, T], built from T in the graph. */
export function causalMask(g: Graph, length: Ref, group: number): Ref {
  const positions = g.op("Range", [g.int(0), length, g.int(1)]);
  const isPast = g.op("GreaterOrEqual", [
    g.op("Unsqueeze", [positions, g.ints(1)]),
    g.op("Unsqueeze", [positions, g.ints(0)]),
  ]);
  const mask = g.op("Where", [isPast, g.scalar(0), g.scalar(-1e9)]);
  return group === 1 ? mask : g.op("Concat", Array<Ref>(group).fill(mask), { axis: 0 });
}

function headLayout(g: Graph, { numHeads, numKvHeads, headDim }: AttentionShape) {
  const group = numHeads / numKvHeads;
  const swap = (x: Ref) => g.op("Transpose", [x], { perm: [0, 2, 1, 3] });
  const splitKey = (x: Ref) => swap(g.op("Reshape", [x, g.ints(0, 0, numKvHeads, headDim)]));
  const mergeKey = (x: Ref) => g.op("Reshape", [swap(x), g.ints(0, 0, numKvHeads * headDim)]);
  if (group === 1) return { splitKey, mergeKey, splitQuery: splitKey, mergeQuery: mergeKey };
  return {
    splitKey,
    mergeKey,
    splitQuery(x: Ref): Ref {
      const grouped = g.op("Reshape", [x, g.ints(0, 0, numKvHeads, group, headDim)]);
      const outer = g.op("Transpose", [grouped], { perm: [0, 2, 3, 1, 4] });
      return g.op("Reshape", [outer, g.ints(0, 0, -1, headDim)]);
    },
    mergeQuery(x: Ref): Ref {
      const split = g.op("Reshape", [x, g.ints(0, numKvHeads, group, -1, headDim)]);
      const inner = g.op("Transpose", [split], { perm: [0, 3, 1, 2, 4] });
      return g.op("Reshape", [inner, g.ints(0, 0, numHeads * headDim)]);
    },
  };
}
