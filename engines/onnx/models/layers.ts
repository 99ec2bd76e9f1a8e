import { type Autodiff, type Graph, MICROSOFT, once, type Ref } from "../ir/index.js";

/** Differentiable building blocks. Rows are tokens: x is [N, width]. */

export interface LinearOptions {
  /** [outputs] */
  readonly bias?: Ref;
  /** The weight is [inputs, outputs]. */
  readonly transposed?: boolean;
}

/** y = x Wᵀ + b, W [outputs, inputs]. The weight's gradient is accumulated by the product itself. */
export function linear(ad: Autodiff, x: Ref, weight: Ref, { bias, transposed = false }: LinearOptions = {}): Ref {
  const g = ad.graph;
  const y = g.op("Gemm", bias ? [x, weight, bias] : [x, weight], transposed ? {} : { transB: 1 });
  return ad.record(y, bias ? [x, weight, bias] : [x, weight], (dy) => [
    () => g.op("Gemm", [dy, weight], transposed ? { transB: 1 } : {}),
    (sum) => {
      const [left, right] = transposed ? [ad.again(x), dy] : [dy, ad.again(x)];
      return g.op("Gemm", sum ? [left, right, sum] : [left, right], { transA: 1 });
    },
    (sum) => accumulate(g, g.op("ReduceSum", [dy, g.ints(0)], { keepdims: 0 }), sum),
  ]);
}

/** An adapter of a linear map: A [rank, inputs], B [outputs, rank]. */
export interface LowRank {
  readonly a: Ref;
  readonly b: Ref;
  readonly scale: number;
}

/** y + s · x Aᵀ Bᵀ (LoRA, 2106.09685). */
export function addLowRank(ad: Autodiff, y: Ref, x: Ref, { a, b, scale }: LowRank): Ref {
  const g = ad.graph;
  const alpha = { float: scale };
  const inner = g.op("Gemm", [x, a], { transB: 1 });
  const sum = g.op("Gemm", [inner, b, y], { transB: 1, alpha });
  return ad.record(sum, [y, x, a, b], (dy) => {
    const dInner = once(() => g.op("Gemm", [dy, b], { alpha }));
    const product = (left: Ref, right: Ref, total: Ref | null, attributes = {}) =>
      g.op("Gemm", total ? [left, right, total] : [left, right], { transA: 1, ...attributes });
    return [
      () => dy,
      () => g.op("Gemm", [dInner(), a]),
      (total) => product(dInner(), ad.again(x), total),
      (total) => product(dy, inner, total, { alpha }),
    ];
  });
}

export function add(ad: Autodiff, a: Ref, b: Ref): Ref {
  return ad.record(ad.graph.op("Add", [a, b]), [a, b], (dy) => [() => dy, () => dy]);
}

/** x · factor for a constant scalar value. */
export function scale(ad: Autodiff, x: Ref, factor: Ref): Ref {
  const g = ad.graph;
  return ad.record(g.op("Mul", [x, factor]), [x], (dy) => [() => g.op("Mul", [dy, factor])]);
}

/** Rotary position embedding of [B, T, heads · headDim], rotating halves as Hugging Face's models do. */
export function rotary(ad: Autodiff, x: Ref, tables: { cos: Ref; sin: Ref; negSin: Ref }): Ref {
  const g = ad.graph;
  const rotate = (value: Ref, sin: Ref) => g.op("RotaryEmbedding", [value, g.ints(0), tables.cos, sin], {}, MICROSOFT);
  return ad.record(rotate(x, tables.sin), [x], (dy) => [() => rotate(dy, tables.negSin)]);
}

/** Columns cut into parts of the given widths. */
export function splitColumns(ad: Autodiff, x: Ref, widths: readonly number[]): Ref[] {
  const g = ad.graph;
  const parts = g.opMany("Split", [x, g.ints(...widths)], widths.length, { axis: 1 });
  return ad.recordMany(parts, [x], (gradients) => [
    () => {
      const zeros = (part: Ref) => g.op("ConstantOfShape", [g.op("Shape", [part])]);
      return g.op(
        "Concat",
        gradients.map((dy, i) => dy ?? zeros(parts[i])),
        { axis: 1 },
      );
    },
  ]);
}

/** The same numbers as rows of another width. */
export function reshapeRows(ad: Autodiff, x: Ref, from: number, to: number): Ref {
  const g = ad.graph;
  return ad.record(g.op("Reshape", [x, g.ints(-1, to)]), [x], (dy) => [() => g.op("Reshape", [dy, g.ints(-1, from)])]);
}

/** The first T rows of a table [P, width], repeated for each of B sequences: [B, T, width]. */
export function positionRows(
  ad: Autodiff,
  table: Ref,
  { rows, width, gridShape }: { readonly rows: number; readonly width: number; readonly gridShape: Ref },
): Ref {
  const g = ad.graph;
  const length = g.op("Slice", [gridShape, g.ints(1), g.ints(2)]);
  const used = g.op("Slice", [table, g.ints(0), length, g.ints(0)]);
  const shape = g.op("Concat", [gridShape, g.ints(width)], { axis: 0 });
  return ad.record(g.op("Expand", [used, shape]), [table], (dy) => [
    (sum) => {
      const ofPositions = g.op("ReduceSum", [dy, g.ints(0)], { keepdims: 0 });
      const missing = g.op("Sub", [g.ints(rows), length]);
      const pads = g.op("Concat", [g.ints(0, 0), missing, g.ints(0)], { axis: 0 });
      return accumulate(g, g.op("Pad", [ofPositions, pads]), sum);
    },
  ]);
}

/**
 * Rows picked by index, each at most once. The gradient is a gather as well, by the inverse index, in which rows that
 * nobody picked point at an appended row of zeros; a scatter would be slower, and one with duplicates races.
 */
export function pickRows(ad: Autodiff, x: Ref, width: number, index: Ref, inverse: Ref): Ref {
  const g = ad.graph;
  return ad.record(g.op("Gather", [x, index]), [x], (dy) => [
    () => g.op("Gather", [appendZeroRow(g, dy, width), inverse]),
  ]);
}

export function appendZeroRow(g: Graph, x: Ref, width: number): Ref {
  const zeros = g.op("ConstantOfShape", [g.ints(1, width)]);
  return g.op("Concat", [x, zeros], { axis: 0 });
}

export function accumulate(g: Graph, gradient: Ref, sum: Ref | null): Ref {
  return sum ? g.op("Add", [sum, gradient]) : gradient;
}
