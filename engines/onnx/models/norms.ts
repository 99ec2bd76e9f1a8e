import { type Autodiff, type Graph, once, type Ref } from "../ir/index.js";
import { accumulate } from "./layers.js";

export interface RmsNormOptions {
  readonly width: number;
  readonly epsilon: number;
  /** The weight is stored without the 1 that belongs to it. */
  readonly plusOne?: boolean;
}

/** y = x / rms(x) · weight over the last dimension (Zhang & Sennrich, 1910.07467). */
export function rmsNorm(ad: Autodiff, x: Ref, weight: Ref, { width, epsilon, plusOne }: RmsNormOptions): Ref {
  const g = ad.graph;
  const gain = plusOne ? g.op("Add", [weight, g.scalar(1)]) : weight;
  const [y, fusedRms] = g.opMany("SimplifiedLayerNormalization", [x, gain], g.plainNorms ? 1 : 2, {
    axis: -1,
    epsilon: { float: epsilon },
    stash_type: 1,
  });
  const inverseRms = once(() => fusedRms ?? inverseDeviation(g, x, epsilon));
  const normalized = once(() => g.op("Mul", [x, inverseRms()]));
  ad.recompute(
    y,
    once(() => g.op("Mul", [normalized(), gain])),
  );
  return ad.record(y, [x, weight], (dy) => {
    const product = g.op("Mul", [dy, normalized()]);
    return [
      () => {
        const mean = rowMean(g, product, gain, width);
        const centred = g.op("Sub", [g.op("Mul", [dy, gain]), g.op("Mul", [normalized(), mean])]);
        return g.op("Mul", [inverseRms(), centred]);
      },
      (sum) => accumulate(g, sumOfRows(g, product), sum),
    ];
  });
}

/** y = (x − mean(x)) / std(x) · weight + bias over the last dimension (Ba et al., 1607.06450). */
export function layerNorm(
  ad: Autodiff,
  x: Ref,
  weight: Ref,
  bias: Ref,
  { width, epsilon }: { readonly width: number; readonly epsilon: number },
): Ref {
  const g = ad.graph;
  const [y, fusedMean, fusedStd] = g.opMany("LayerNormalization", [x, weight, bias], g.plainNorms ? 1 : 3, {
    axis: -1,
    epsilon: { float: epsilon },
  });
  return ad.record(y, [x, weight, bias], (dy) => {
    const fromMean = g.op("Sub", [x, fusedMean ?? meanOfRows(g, x)]);
    const inverseStd = fusedStd ?? inverseDeviation(g, fromMean, epsilon);
    const normalized = g.op("Mul", [fromMean, inverseStd]);
    const product = g.op("Mul", [dy, normalized]);
    return [
      () => {
        const ofProduct = g.op("Mul", [normalized, rowMean(g, product, weight, width)]);
        const centred = g.op("Sub", [g.op("Mul", [dy, weight]), rowMean(g, dy, weight, width)]);
        return g.op("Mul", [inverseStd, g.op("Sub", [centred, ofProduct])]);
      },
      (sum) => accumulate(g, sumOfRows(g, product), sum),
      (sum) => accumulate(g, sumOfRows(g, dy), sum),
    ];
  });
}

function meanOfRows(g: Graph, x: Ref): Ref {
  return g.op("ReduceMean", [x, g.ints(-1)], { keepdims: 1 });
}

/** 1 / √(mean of x² + ε) of each row, [N, 1]. */
function inverseDeviation(g: Graph, x: Ref, epsilon: number): Ref {
  const meanSquare = meanOfRows(g, g.op("Mul", [x, x]));
  return g.op("Reciprocal", [g.op("Sqrt", [g.op("Add", [meanSquare, g.scalar(epsilon)])])]);
}

/** Mean over each row of x · weight, [N, 1], as one matrix-vector product. */
function rowMean(g: Graph, x: Ref, weight: Ref, width: number): Ref {
  const column = g.op("Unsqueeze", [g.op("Mul", [weight, g.scalar(1 / width)]), g.ints(1)]);
  return g.op("MatMul", [x, column]);
}

function sumOfRows(g: Graph, x: Ref): Ref {
  return g.op("ReduceSum", [x, g.ints(0)], { keepdims: 0 });
}
