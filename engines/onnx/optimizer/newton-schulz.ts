import { Graph, type Ref } from "../ir/index.js";

/** Inputs and outputs of the graph of one Muon update. Float32; scalars unless a shape is given. */
export const MUON = {
  /** [M, N], as the next two; values and momentum are also outputs and may be written in place. */
  values: "values",
  gradient: "gradient",
  momentum: "momentum",
  /** Of the gradient, for clipping. */
  gradScale: "grad_scale",
  /** μ and 1 − μ. */
  decayRate: "momentum_decay",
  gradientShare: "gradient_share",
  /** What is made orthogonal: gradient · of_gradient + momentum · of_momentum. */
  ofGradient: "of_gradient",
  ofMomentum: "of_momentum",
  /** 1 − lr · weight decay */
  valueDecay: "value_decay",
  /** lr with the factor for the matrix's shape. */
  stepSize: "step_size",
  newValues: "new_values",
  newMomentum: "new_momentum",
} as const;

/** Of the quintic whose iteration drives singular values towards 1 (Jordan et al., 2024). */
const [A, B, C] = [3.4445, -4.775, 2.0315];
const EPSILON = 1e-7;

/**
 * One update of a matrix by Muon. The Gram matrix is taken along the shorter side: rows of a `wide` matrix, columns of the
 * other kind.
 */
export function muonGraph(kind: "wide" | "tall", iterations: number): Graph {
  const g = new Graph("muon");
  const matrix = (name: string) => g.input(name, ["M", "N"]);
  const scalar = (name: string) => g.input(name, []);
  const mul = (a: Ref, b: Ref) => g.op("Mul", [a, b]);

  const gradient = mul(matrix(MUON.gradient), scalar(MUON.gradScale));
  const old = mul(matrix(MUON.momentum), scalar(MUON.decayRate));
  const momentum = g.op("Add", [old, mul(gradient, scalar(MUON.gradientShare))]);
  const mixed = g.op("Add", [mul(gradient, scalar(MUON.ofGradient)), mul(momentum, scalar(MUON.ofMomentum))]);
  const orthogonal = orthogonalised(g, mixed, kind, iterations);
  const decayed = mul(matrix(MUON.values), scalar(MUON.valueDecay));
  const values = g.op("Sub", [decayed, mul(orthogonal, scalar(MUON.stepSize))]);
  g.output(momentum, MUON.newMomentum, ["M", "N"]);
  g.output(values, MUON.newValues, ["M", "N"]);
  return g;
}

/** X ← aX + (bG + cG²)X with G = XXᵀ, from X / ‖X‖; the mirror image where G = XᵀX. */
function orthogonalised(g: Graph, matrix: Ref, kind: "wide" | "tall", iterations: number): Ref {
  const gemm = (a: Ref, b: Ref, c: Ref | null, attributes: Parameters<Graph["op"]>[2]) =>
    g.op("Gemm", c ? [a, b, c] : [a, b], attributes);
  const norm = g.op("ReduceL2", [matrix], { keepdims: 0 });
  let x = g.op("Div", [matrix, g.op("Max", [norm, g.scalar(EPSILON)])]);
  for (let i = 0; i < iterations; i++) {
    const gram = gemm(x, x, null, kind === "wide" ? { transB: 1 } : { transA: 1 });
    const polynomial = gemm(gram, gram, gram, { alpha: { float: C }, beta: { float: B } });
    x = gemm(...(kind === "wide" ? ([polynomial, x] as const) : ([x, polynomial] as const)), x, { beta: { float: A } });
  }
  return x;
}
