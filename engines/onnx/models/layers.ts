import { type Autodiff, type Graph, MICROSOFT, type Ref } from "../ir/index.js";

/** Differentiable building blocks. Rows are tokens: x is [N, width]. */

/** y = x Wᵀ, W [out, in]. The weight's gradient is accumulated by the product itself. */
export function linear(ad: Autodiff, x: Ref, weight: Ref): Ref {
  const g = ad.graph;
  return ad.record(g.op("Gemm", [x, weight], { transB: 1 }), [x, weight], (dy) => [
    () => g.op("Gemm", [dy, weight]),
    (sum) => g.op("Gemm", sum ? [dy, x, sum] : [dy, x], { transA: 1 }),
  ]);
}

export function add(ad: Autodiff, a: Ref, b: Ref): Ref {
  return ad.record(ad.graph.op("Add", [a, b]), [a, b], (dy) => [() => dy, () => dy]);
}

/** x · factor for a constant scalar value. */
export function scale(ad: Autodiff, x: Ref, factor: Ref): Ref {
  const g = ad.graph;
  return ad.record(g.op("Mul", [x, factor]), [x], (dy) => [() => g.op("Mul", [dy, factor])]);
}

/** y = x / rms(x) · weight over the last dimension (Zhang & Sennrich, 1910.07467). */
export function rmsNorm(ad: Autodiff, x: Ref, weight: Ref, width: number, epsilon: number): Ref {
  const g = ad.graph;
  const [y, inverseRms] = g.opMany("SimplifiedLayerNormalization", [x, weight], 2, {
    axis: -1,
    epsilon: { float: epsilon },
    stash_type: 1,
  });
  return ad.record(y, [x, weight], (dy) => {
    const normalized = g.op("Mul", [x, inverseRms]);
    const product = g.op("Mul", [dy, normalized]);
    return [
      () => {
        // mean over the row of dy · weight · normalized, as one matrix-vector product
        const column = g.op("Unsqueeze", [g.op("Mul", [weight, g.scalar(1 / width)]), g.ints(1)]);
        const mean = g.op("MatMul", [product, column]);
        const centred = g.op("Sub", [g.op("Mul", [dy, weight]), g.op("Mul", [normalized, mean])]);
        return g.op("Mul", [inverseRms, centred]);
      },
      (sum) => accumulate(g, g.op("ReduceSum", [product, g.ints(0)], { keepdims: 0 }), sum),
    ];
  });
}

/** silu(gate) · up (Shazeer, 2002.05202). */
export function swiGlu(ad: Autodiff, gate: Ref, up: Ref): Ref {
  const g = ad.graph;
  const sigmoid = g.op("Sigmoid", [gate]);
  const silu = g.op("Mul", [gate, sigmoid]);
  return ad.record(g.op("Mul", [silu, up]), [gate, up], (dy) => [
    () => {
      const derivative = g.op("Sub", [g.op("Add", [sigmoid, silu]), g.op("Mul", [sigmoid, silu])]);
      return g.op("Mul", [g.op("Mul", [dy, up]), derivative]);
    },
    () => g.op("Mul", [dy, silu]),
  ]);
}

/** Rotary position embedding of [B, T, heads · headDim], rotating halves as Hugging Face's models do. */
export function rotary(ad: Autodiff, x: Ref, tables: { cos: Ref; sin: Ref; negSin: Ref }): Ref {
  const g = ad.graph;
  const rotate = (value: Ref, sin: Ref) => g.op("RotaryEmbedding", [value, g.ints(0), tables.cos, sin], {}, MICROSOFT);
  return ad.record(rotate(x, tables.sin), [x], (dy) => [() => rotate(dy, tables.negSin)]);
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
