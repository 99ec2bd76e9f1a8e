/**
 * The algebra in which losses are written once and run three ways: eagerly on typed arrays with a reverse-mode tape
 * (`tape.ts`), lowered into an engine's own graph, or only described. A loss never sees logits, padding or micro-batches:
 * it combines model outputs, constant columns and global counts.
 *
 * Extents: `token` [R] (response tokens of the micro-batch), `sequence` [B], `scalar` []. Elementwise operations
 * broadcast scalar → sequence → token; nothing else mixes.
 */
export type Extent = "token" | "sequence" | "scalar";

/** What a model can be asked for; see `SequenceBatch` for the layout. */
export type OutputName =
  /** log p(token), natural logarithm, at the batch's temperature, [R]. */
  | "logProb"
  /** Entropy of the tempered distribution in nats, [R]. */
  | "entropy"
  /** Σ_v π(v)², [R]. */
  | "sumPiSquared"
  /** What the value head says of the state before the token, [R]. */
  | "values"
  /** What the classification head says of a whole sequence, at its last token, [B]; [B · labels] with several labels. */
  | "scores"
  /** log p of the token that the column `choiceId<k>` names at each position, [R]: a teacher's k-th best, k from 0. */
  | `logProbAtId${number}`;

/** How many numbers an output has. */
export function outputExtent(name: OutputName): "token" | "sequence" {
  return name === "scores" ? "sequence" : "token";
}

/** An expression. Opaque: only the algebra that made it understands it. */
export interface Value {
  readonly extent: Extent;
}

/**
 * Counts over the whole global mini-batch (all micro-batches, all ranks), so that splitting never changes a loss.
 * Sources: spec of `agg_loss`; N, G and S are its denominators, D its data-parallel factor.
 */
export interface GlobalCounts {
  /** N: tokens with mask 1. */
  readonly batchNumTokens: number;
  /** G: sequences that count. */
  readonly globalBatchSize: number;
  /** S: divisor of `seq-mean-token-sum-norm`. */
  readonly lossScaleFactor: number;
  /** D: data-parallel size. */
  readonly dpSize: number;
}

export interface LossAlgebra {
  /** A differentiable model output. */
  output(name: OutputName): Value;
  /** A constant of the batch. */
  column(name: string): Value;
  /** The response mask, token extent, constant. */
  mask(): Value;
  /** One of the global counts, scalar, constant. */
  count(name: keyof GlobalCounts): Value;
  constant(x: number): Value;

  add(a: Value, b: Value): Value;
  sub(a: Value, b: Value): Value;
  mul(a: Value, b: Value): Value;
  div(a: Value, b: Value): Value;
  neg(a: Value): Value;
  exp(a: Value): Value;
  log(a: Value): Value;
  sqrt(a: Value): Value;
  square(a: Value): Value;
  abs(a: Value): Value;
  sigmoid(a: Value): Value;
  /** log(1 + e^a) without overflow. */
  softplus(a: Value): Value;
  /** Gradient goes to the smaller argument; ties to `a`. */
  minimum(a: Value, b: Value): Value;
  /** Gradient goes to the larger argument; ties to `a`. */
  maximum(a: Value, b: Value): Value;
  /** Gradient 1 where lo <= a <= hi, else 0. Bounds are numbers. If hi < lo, lo wins. */
  clamp(a: Value, lo: number, hi: number): Value;
  /** 1 where a > b, else 0; constant for differentiation. */
  greater(a: Value, b: Value): Value;
  greaterEqual(a: Value, b: Value): Value;
  /** `a` where condition is not 0, else `b`. The branch not taken contributes neither value nor gradient, NaN included. */
  where(condition: Value, a: Value, b: Value): Value;
  /** The value without its gradient. */
  stopGradient(a: Value): Value;
  /** token → sequence: sum over each sequence's tokens. */
  sumTokens(a: Value): Value;
  /** any → scalar: sum over everything in the micro-batch. */
  sum(a: Value): Value;
  /**
   * sequence → sequence: the value of the other half of the pair, rows 2i and 2i + 1. Losses of scope `pair` need it; an
   * algebra that lacks it cannot take them, and its engine runs them in two phases.
   */
  partner?(a: Value): Value;
}

/** How partial values of a metric combine over micro-batches (see `MetricValue`). */
export type MetricReduction = "sum" | "mean" | "min" | "max";

/** A metric that a loss reports. `mean` is weighted by the micro-batch's count of masked tokens. */
export interface LossMetric {
  /** A scalar; for `min` and `max` also a value per token, of which the extreme over tokens that count is taken. */
  readonly value: Value;
  readonly reduction: MetricReduction;
}

export interface LossTerms {
  /** Scalar: this micro-batch's share of the loss. The shares add up to the loss of the mini-batch. */
  readonly loss: Value;
  readonly metrics: Readonly<Record<string, LossMetric>>;
}

/** What a loss's statistics range over; a batch is never split inside the scope. */
export type LossScope = "token" | "sequence" | "pair" | "group" | "miniBatch";

/** A loss over the algebra. One per file, formula and paper in the header. */
export interface LossFunction {
  readonly kind: "algebra";
  readonly name: string;
  readonly scope: LossScope;
  /** Model outputs that it reads. */
  readonly outputs: readonly OutputName[];
  /** Columns that the batch must carry. */
  readonly columns: readonly string[];
  /** Same key ⇒ same expression: lets an engine reuse a lowered graph. Includes every hyper-parameter. */
  readonly key: string;
  build(algebra: LossAlgebra): LossTerms;
}

/** A loss that only its author understands: numbers in, loss and output gradients out. Never fused. */
export interface OpaqueLoss {
  readonly kind: "opaque";
  readonly name: string;
  readonly scope: LossScope;
  readonly outputs: readonly OutputName[];
  compute(input: LossInput): LossGradients;
}

export type AnyLoss = LossFunction | OpaqueLoss;

/** Everything an eager loss sees: model outputs, columns, mask, counts, and the layout of the batch. */
export interface LossInput {
  readonly outputs: Readonly<Partial<Record<OutputName, ArrayLike<number>>>>;
  readonly columns: ReadonlyMap<string, { readonly extent: "token" | "sequence"; readonly data: ArrayLike<number> }>;
  readonly responseMask: ArrayLike<number>;
  /** [B + 1] */
  readonly responseOffsets: Int32Array;
  readonly counts: GlobalCounts;
}

export interface LossGradients {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, MetricValue>>;
  /** ∂loss/∂output, each in the output's shape. */
  readonly gradients: Readonly<Partial<Record<OutputName, Float32Array>>>;
}

/** A number with the rule that combines it with its like. `weight` is the number of tokens behind a `mean`. */
export interface MetricValue {
  readonly value: number;
  readonly reduction: MetricReduction;
  readonly weight: number;
}
