import { type Autodiff, type Graph, MICROSOFT, type Ref } from "../ir/index.js";

/** Added to scores that do not count. */
export const MASKED = -1e9;

export interface AttentionShape {
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  /** Factor of query · key. */
  readonly scale: number;
  /** Scores s become c · tanh(s / c). */
  readonly softcap: number | null;
}

/** How attention is built into a graph, whatever the layer. */
export interface AttentionForm {
  /** Queries of a block, one block after the other; null: all at once, and weights are kept for the backward pass. */
  readonly rows: number | null;
  /** False where no sequence is longer than a window: windows then make no difference. */
  readonly windows: boolean;
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
  const alpha = { float: shape.scale };
  const multiply = (a: Ref, b: Ref, attributes = {}) => g.op("FusedMatMul", [a, b], attributes, MICROSOFT);

  const [qh, kh, vh] = [heads.splitQuery(q), heads.splitKey(k), heads.splitKey(v)];
  const [capped, slope] = softcap(g, (factor) => multiply(qh, kh, { transB: 1, alpha: { float: factor } }), shape);
  const scores = g.op("Add", [capped, mask]);
  const weights = g.op("Softmax", [scores], { axis: -1 });
  const mixed = g.op("MatMul", [weights, vh]);
  return ad.record(heads.mergeQuery(mixed), [q, k, v], (dy) => {
    const dMixed = heads.splitQuery(dy);
    // Σ weights · dWeights over a row equals Σ dMixed · mixed, which is narrower.
    const rowSum = g.op("ReduceSum", [g.op("Mul", [dMixed, mixed]), g.ints(-1)], { keepdims: 1 });
    const dWeights = multiply(dMixed, vh, { transB: 1 });
    const dCapped = g.op("Mul", [weights, g.op("Sub", [dWeights, rowSum])]);
    const dScores = slope ? g.op("Mul", [dCapped, slope()]) : dCapped;
    return [
      () => heads.mergeQuery(multiply(dScores, kh, { alpha })),
      () => heads.mergeKey(multiply(dScores, qh, { transA: 1, alpha })),
      () => heads.mergeKey(multiply(weights, dMixed, { transA: 1 })),
    ];
  });
}

/** The capped product of queries and keys and, where there is a cap, its derivative by the product. */
export function softcap(
  g: Graph,
  product: (factor: number) => Ref,
  { scale, softcap: cap }: Pick<AttentionShape, "scale" | "softcap">,
): [capped: Ref, slope: (() => Ref) | null] {
  if (cap === null) return [product(scale), null];
  const t = g.op("Tanh", [product(scale / cap)]);
  return [g.op("Mul", [t, g.scalar(cap)]), () => g.op("Sub", [g.scalar(1), g.op("Mul", [t, t])])];
}

/**
 * 0 where a query may look, a large negative number elsewhere: [group · T, T], built from T in the graph. With a window, a
 * query sees so many tokens, itself included.
 */
export function causalMask(g: Graph, length: Ref, group: number, window: number | null = null): Ref {
  const positions = g.op("Range", [g.int(0), length, g.int(1)]);
  const [query, key] = [g.op("Unsqueeze", [positions, g.ints(1)]), g.op("Unsqueeze", [positions, g.ints(0)])];
  const isPast = g.op("GreaterOrEqual", [query, key]);
  const isSeen = window === null ? isPast : g.op("And", [isPast, isWithin(g, query, key, window)]);
  const mask = g.op("Where", [isSeen, g.scalar(0), g.scalar(MASKED)]);
  return group === 1 ? mask : g.op("Concat", Array<Ref>(group).fill(mask), { axis: 0 });
}

/** Whether keys lie in the windows of queries, by their positions. */
export function isWithin(g: Graph, query: Ref, key: Ref, window: number): Ref {
  return g.op("Less", [g.op("Sub", [query, key]), g.int(window)]);
}

/** Between [B, T, heads · headDim] and the layouts of products: keys [B, kvHeads, T, headDim], queries [B, kvHeads, group · T, headDim]. */
export function headLayout(g: Graph, { numHeads, numKvHeads, headDim }: AttentionShape) {
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
