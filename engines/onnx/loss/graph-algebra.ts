import {
  type Extent,
  type GlobalCounts,
  type LossAlgebra,
  type LossMetric,
  type OutputName,
  outputExtent,
  type Value,
} from "../../../core/plugin.js";
import { Autodiff, type Graph, type Ref } from "../ir/index.js";

/** Where a lowered loss finds what it reads. Token values are [R], sequence values [B], scalars []. */
export interface LossSources {
  output(name: OutputName): Ref;
  column(name: string): { readonly ref: Ref; readonly extent: "token" | "sequence" };
  readonly mask: Ref;
  count(name: keyof GlobalCounts): Ref;
  /** Sequence of each token, int32 [R]. */
  readonly sequenceOfToken: Ref;
  /** Tokens of each sequence, int32 [B, longest]; R for padding. */
  readonly tokensOfSequence: Ref;
}

interface GraphValue extends Value {
  readonly ref: Ref;
}

/**
 * The loss algebra as nodes of a graph. Every operation records its derivative, so the loss is differentiated where it
 * is computed. As on the host's tape, a gradient of exactly 0 stops where it arrives: 0 · NaN is never formed.
 */
export class GraphAlgebra implements LossAlgebra {
  readonly autodiff: Autodiff;
  private readonly zeroRow: Ref;
  /** Whether {@link partner} was used: such a graph needs an even number of sequences. */
  comparesPairs = false;

  constructor(
    private readonly g: Graph,
    private readonly sources: LossSources,
  ) {
    this.autodiff = new Autodiff(g);
    this.zeroRow = g.constant(new Float32Array(1), [1], "float32");
  }

  output = (name: OutputName) => this.leaf(outputExtent(name), this.sources.output(name));
  mask = () => this.leaf("token", this.sources.mask);
  count = (name: keyof GlobalCounts) => this.leaf("scalar", this.sources.count(name));
  constant = (x: number) => this.leaf("scalar", this.g.scalar(x));

  column(name: string): Value {
    const { extent, ref } = this.sources.column(name);
    return this.leaf(extent, ref);
  }

  add = (a: Value, b: Value) => this.binary(a, b, "Add", [(d) => d, (d) => d]);
  sub = (a: Value, b: Value) => this.binary(a, b, "Sub", [(d) => d, (d) => this.op("Neg", d)]);
  mul = (a: Value, b: Value) =>
    this.binary(a, b, "Mul", [(d, _x, y) => this.guarded(d, y), (d, x) => this.guarded(d, x)]);
  div = (a: Value, b: Value) =>
    this.binary(a, b, "Div", [
      (d, _x, y) => this.guarded(d, this.op("Reciprocal", y)),
      (d, x, y) => this.guarded(d, this.op("Neg", this.op("Div", x, this.op("Mul", y, y)))),
    ]);
  minimum = (a: Value, b: Value) => this.select(a, b, "Min", "LessOrEqual");
  maximum = (a: Value, b: Value) => this.select(a, b, "Max", "GreaterOrEqual");
  neg = (a: Value) => this.unary(a, "Neg", (d) => this.op("Neg", d));
  exp = (a: Value) => this.unary(a, "Exp", (d, _x, y) => this.guarded(d, y));
  log = (a: Value) => this.unary(a, "Log", (d, x) => this.guarded(d, this.op("Reciprocal", x)));
  sqrt = (a: Value) => this.unary(a, "Sqrt", (d, _x, y) => this.guarded(d, this.op("Div", this.g.scalar(0.5), y)));
  abs = (a: Value) => this.unary(a, "Abs", (d, x) => this.guarded(d, this.op("Sign", x)));
  softplus = (a: Value) => this.unary(a, "Softplus", (d, x) => this.guarded(d, this.op("Sigmoid", x)));
  sigmoid = (a: Value) =>
    this.unary(a, "Sigmoid", (d, _x, y) => this.guarded(d, this.op("Mul", y, this.op("Sub", this.g.scalar(1), y))));

  square(a: Value): Value {
    const x = value(a);
    const y = this.op("Mul", x.ref, x.ref);
    return this.recorded(x.extent, y, [x], [(d) => this.guarded(d, this.op("Mul", x.ref, this.g.scalar(2)))]);
  }

  clamp(a: Value, lo: number, hi: number): Value {
    const x = value(a);
    const [low, high] = [this.g.scalar(lo), this.g.scalar(hi)];
    const y = this.op("Max", this.op("Min", x.ref, high), low);
    const inside = () => this.op("And", this.op("GreaterOrEqual", x.ref, low), this.op("LessOrEqual", x.ref, high));
    return this.recorded(x.extent, y, [x], [(d) => this.op("Where", inside(), d, this.g.scalar(0))]);
  }

  greater = (a: Value, b: Value) => this.compare(a, b, "Greater");
  greaterEqual = (a: Value, b: Value) => this.compare(a, b, "GreaterOrEqual");

  where(condition: Value, a: Value, b: Value): Value {
    const extent = widest(condition.extent, a.extent, b.extent);
    const [c, x, y] = [condition, a, b].map((v) => this.spread(v, extent));
    const chosen = this.op("Not", this.op("Equal", c.ref, this.g.scalar(0)));
    const out = this.op("Where", chosen, x.ref, y.ref);
    const zero = this.g.scalar(0);
    return this.recorded(
      extent,
      out,
      [x, y],
      [
        (d) => this.narrow(this.op("Where", chosen, d, zero), extent, x.extent),
        (d) => this.narrow(this.op("Where", chosen, zero, d), extent, y.extent),
      ],
    );
  }

  stopGradient = (a: Value) => this.leaf(a.extent, this.op("Identity", value(a).ref));

  sumTokens(a: Value): Value {
    const x = value(a);
    return this.recorded("sequence", this.sumOfTokens(x.ref), [x], [this.ofSequence]);
  }

  sum(a: Value): Value {
    const x = value(a);
    if (x.extent === "scalar") return a;
    return this.recorded("scalar", this.total(x.ref), [x], [(d) => this.op("Expand", d, this.op("Shape", x.ref))]);
  }

  partner(a: Value): Value {
    this.comparesPairs = true;
    return this.recorded("sequence", this.swapPairs(value(a).ref), [value(a)], [this.swapPairs]);
  }

  /**
   * A metric as a scalar: of a value per token the extreme over the tokens that count, ∓∞ without any. Null for what is
   * neither, which the host refuses.
   */
  metric({ value: v, reduction }: LossMetric): Ref | null {
    if (v.extent === "scalar") return this.refOf(v);
    if (v.extent !== "token" || (reduction !== "min" && reduction !== "max")) return null;
    const neutral = this.g.scalar(reduction === "min" ? Infinity : -Infinity);
    const counted = this.op("Not", this.op("Equal", this.sources.mask, this.g.scalar(0)));
    const masked = this.op("Where", counted, this.refOf(v), neutral);
    return this.g.op(reduction === "min" ? "ReduceMin" : "ReduceMax", [masked], { keepdims: 0 });
  }

  /** Gradients of the loss with respect to outputs, in their shapes; absent where it does not depend on one. */
  backward(loss: Value, outputs: readonly Ref[]): Map<Ref, Ref> {
    return this.autodiff.backward(new Map([[value(loss).ref, this.g.scalar(1)]]), outputs);
  }

  refOf(v: Value): Ref {
    return value(v).ref;
  }

  private leaf(extent: Extent, ref: Ref): GraphValue {
    return { extent, ref };
  }

  private unary(a: Value, op: string, derivative: (d: Ref, x: Ref, y: Ref) => Ref): Value {
    const x = value(a);
    const y = this.op(op, x.ref);
    return this.recorded(x.extent, y, [x], [(d) => derivative(d, x.ref, y)]);
  }

  private binary(a: Value, b: Value, op: string, derivatives: readonly ((d: Ref, x: Ref, y: Ref) => Ref)[]): Value {
    const extent = widest(a.extent, b.extent);
    const [x, y] = [this.spread(a, extent), this.spread(b, extent)];
    const out = this.op(op, x.ref, y.ref);
    return this.recorded(
      extent,
      out,
      [x, y],
      [
        (d) => this.narrow(derivatives[0](d, x.ref, y.ref), extent, x.extent),
        (d) => this.narrow(derivatives[1](d, x.ref, y.ref), extent, y.extent),
      ],
    );
  }

  /** Minimum and maximum: the gradient goes to the argument that was taken, ties to the first. */
  private select(a: Value, b: Value, op: string, test: string): Value {
    const zero = this.g.scalar(0);
    return this.binary(a, b, op, [
      (d, x, y) => this.op("Where", this.op(test, x, y), d, zero),
      (d, x, y) => this.op("Where", this.op(test, x, y), zero, d),
    ]);
  }

  private compare(a: Value, b: Value, op: string): Value {
    const extent = widest(a.extent, b.extent);
    const [x, y] = [this.spread(a, extent), this.spread(b, extent)];
    return this.leaf(extent, this.g.op("Cast", [this.op(op, x.ref, y.ref)], { to: 1 }));
  }

  /** Per-sequence values in the company of per-token ones are repeated; scalars broadcast by themselves. */
  private spread(a: Value, extent: Extent): GraphValue {
    const x = value(a);
    if (x.extent !== "sequence" || extent !== "token") return x;
    const out = this.ofSequence(x.ref);
    return this.recorded("token", out, [x], [(d) => this.sumOfTokens(d)]);
  }

  /** Gradient of an operand that was broadcast from a scalar. */
  private narrow(gradient: Ref, from: Extent, to: Extent): Ref {
    return to === "scalar" && from !== "scalar" ? this.total(gradient) : gradient;
  }

  /** Rows 2i and 2i + 1 change places. */
  private swapPairs = (x: Ref): Ref => {
    const pairs = this.op("Reshape", x, this.g.ints(-1, 2));
    return this.op("Reshape", this.g.op("Gather", [pairs, this.g.ints(1, 0)], { axis: 1 }), this.g.ints(-1));
  };

  private ofSequence = (x: Ref) => this.op("Gather", x, this.sources.sequenceOfToken);
  private total = (x: Ref) => this.g.op("ReduceSum", [x], { keepdims: 0 });

  private sumOfTokens(x: Ref): Ref {
    const padded = this.g.op("Concat", [x, this.zeroRow], { axis: 0 });
    const grid = this.op("Gather", padded, this.sources.tokensOfSequence);
    return this.g.op("ReduceSum", [grid, this.g.ints(1)], { keepdims: 0 });
  }

  /** gradient · derivative, and 0 where the gradient is 0 whatever the derivative is. */
  private guarded(gradient: Ref, derivative: Ref): Ref {
    const zero = this.g.scalar(0);
    return this.op("Where", this.op("Equal", gradient, zero), zero, this.op("Mul", gradient, derivative));
  }

  private op(opType: string, ...inputs: Ref[]): Ref {
    return this.g.op(opType, inputs);
  }

  private recorded(extent: Extent, out: Ref, inputs: GraphValue[], gradients: ((d: Ref) => Ref)[]): GraphValue {
    this.autodiff.record(
      out,
      inputs.map((i) => i.ref),
      (d) => gradients.map((gradient) => () => gradient(d)),
    );
    return { extent, ref: out };
  }
}

const RANK: Readonly<Record<Extent, number>> = { scalar: 0, sequence: 1, token: 2 };
const widest = (...extents: Extent[]): Extent => extents.reduce((a, b) => (RANK[a] >= RANK[b] ? a : b));
const value = (v: Value): GraphValue => v as GraphValue;
