/**
 * The loss algebra evaluated at once, in float64, with every operation recorded for the way back.
 *
 * A gradient of exactly 0 stops where it arrives. So a NaN or an infinity that `where` did not take reaches neither the
 * loss nor any gradient (0 · NaN is never formed).
 */
import {
  type Extent,
  type GlobalCounts,
  type LossAlgebra,
  type LossInput,
  type OutputName,
  outputExtent,
  type Value,
} from "./algebra.js";
import { errors } from "./errors.js";
import { type BinaryKernel, binary, clampKernel, type UnaryKernel, unary } from "./tape-kernels.js";

class Node implements Value {
  grad: Float64Array | null = null;

  constructor(
    readonly extent: Extent,
    readonly data: Float64Array,
    /** Adds this node's gradient to its parents'; null for constants. */
    readonly propagate: ((grad: Float64Array) => void) | null,
  ) {}

  gradient(): Float64Array {
    this.grad ??= new Float64Array(this.data.length);
    return this.grad;
  }
}

const leaf = () => {};

export class Tape implements LossAlgebra {
  private readonly nodes: Node[] = [];
  private readonly read = new Map<OutputName, Node>();
  private readonly constants = new Map<string, Node>();
  private readonly size: number;
  private readonly tokens: number;
  /** Sequence of each token, [R]. */
  private readonly row_R: Int32Array;

  constructor(private readonly input: LossInput) {
    const offsets = input.responseOffsets;
    this.size = offsets.length - 1;
    this.tokens = offsets[this.size];
    this.row_R = new Int32Array(this.tokens);
    for (let b = 0; b < this.size; b++) this.row_R.fill(b, offsets[b], offsets[b + 1]);
  }

  output(name: OutputName): Value {
    const known = this.read.get(name);
    if (known) return known;
    const data = this.input.outputs[name];
    if (!data) throw missing("model output", name, Object.keys(this.input.outputs));
    const extent = outputExtent(name);
    const node = this.push(extent, this.checked(name, extent, data), leaf);
    this.read.set(name, node);
    return node;
  }

  column(name: string): Value {
    const column = this.input.columns.get(name);
    if (!column) throw missing("column", name, [...this.input.columns.keys()]);
    return this.constantData(name, column.extent, column.data);
  }

  mask(): Value {
    return this.constantData("responseMask", "token", this.input.responseMask);
  }

  count(name: keyof GlobalCounts): Value {
    return this.constant(this.input.counts[name]);
  }

  constant(x: number): Value {
    return this.push("scalar", Float64Array.of(x), null);
  }

  add(a: Value, b: Value): Value {
    return this.binary(a, b, binary.add);
  }

  sub(a: Value, b: Value): Value {
    return this.binary(a, b, binary.sub);
  }

  mul(a: Value, b: Value): Value {
    return this.binary(a, b, binary.mul);
  }

  div(a: Value, b: Value): Value {
    return this.binary(a, b, binary.div);
  }

  minimum(a: Value, b: Value): Value {
    return this.binary(a, b, binary.minimum);
  }

  maximum(a: Value, b: Value): Value {
    return this.binary(a, b, binary.maximum);
  }

  neg(a: Value): Value {
    return this.unary(a, unary.neg);
  }

  exp(a: Value): Value {
    return this.unary(a, unary.exp);
  }

  log(a: Value): Value {
    return this.unary(a, unary.log);
  }

  sqrt(a: Value): Value {
    return this.unary(a, unary.sqrt);
  }

  square(a: Value): Value {
    return this.unary(a, unary.square);
  }

  abs(a: Value): Value {
    return this.unary(a, unary.abs);
  }

  sigmoid(a: Value): Value {
    return this.unary(a, unary.sigmoid);
  }

  softplus(a: Value): Value {
    return this.unary(a, unary.softplus);
  }

  clamp(a: Value, lo: number, hi: number): Value {
    return this.unary(a, clampKernel(lo, hi));
  }

  greater(a: Value, b: Value): Value {
    return this.stopGradient(this.binary(a, b, binary.greater));
  }

  greaterEqual(a: Value, b: Value): Value {
    return this.stopGradient(this.binary(a, b, binary.greaterEqual));
  }

  where(condition: Value, a: Value, b: Value): Value {
    const [c, x, y] = [node(condition), node(a), node(b)];
    const extent = widest(widest(c.extent, x.extent), y.extent);
    const [ci, xi, yi] = [this.locate(c, extent), this.locate(x, extent), this.locate(y, extent)];
    const out = new Float64Array(this.length(extent));
    for (let i = 0; i < out.length; i++) out[i] = c.data[ci(i)] !== 0 ? x.data[xi(i)] : y.data[yi(i)];
    return this.push(
      extent,
      out,
      this.backwardOf([x, y], (grad) => {
        const [gx, gy] = [x.propagate && x.gradient(), y.propagate && y.gradient()];
        for (let i = 0; i < grad.length; i++) {
          if (c.data[ci(i)] !== 0) {
            if (gx) gx[xi(i)] += grad[i];
          } else if (gy) gy[yi(i)] += grad[i];
        }
      }),
    );
  }

  stopGradient(a: Value): Value {
    const { extent, data } = node(a);
    return this.push(extent, data, null);
  }

  sumTokens(a: Value): Value {
    const x = node(a);
    if (x.extent !== "token") {
      throw errors.VERL_ALGORITHMS_SHAPE({ what: `sumTokens takes a value per token, not of extent "${x.extent}"` });
    }
    const out = new Float64Array(this.size);
    for (let r = 0; r < this.tokens; r++) out[this.row_R[r]] += x.data[r];
    return this.push(
      "sequence",
      out,
      this.backwardOf([x], (grad) => {
        const gx = x.gradient();
        for (let r = 0; r < gx.length; r++) gx[r] += grad[this.row_R[r]];
      }),
    );
  }

  sum(a: Value): Value {
    const x = node(a);
    let total = 0;
    for (const v of x.data) total += v;
    return this.push(
      "scalar",
      Float64Array.of(total),
      this.backwardOf([x], ([g]) => {
        const gx = x.gradient();
        for (let i = 0; i < gx.length; i++) gx[i] += g;
      }),
    );
  }

  partner(a: Value): Value {
    const x = node(a);
    if (x.extent !== "sequence" || this.size % 2 !== 0) {
      throw errors.VERL_ALGORITHMS_SHAPE({
        what: `pairs are made of two rows each; this value has extent "${x.extent}" in a batch of ${this.size} rows`,
      });
    }
    return this.push(
      "sequence",
      x.data.map((_, b) => x.data[b ^ 1]),
      this.backwardOf([x], (grad) => {
        const gx = x.gradient();
        for (let b = 0; b < gx.length; b++) gx[b] += grad[b ^ 1];
      }),
    );
  }

  /** The number behind a scalar. */
  scalar(value: Value, name: string): number {
    const { extent, data } = node(value);
    if (extent !== "scalar") {
      throw errors.VERL_ALGORITHMS_SHAPE({
        what: `"${name}" of a loss must be a scalar, it has extent "${extent}"`,
        fix: "Aggregate it with sum (or aggLoss) first.",
      });
    }
    return data[0];
  }

  /** Smallest or largest value of the tokens that count; NaN without any. */
  extreme(value: Value, reduction: "min" | "max"): number {
    const { data } = node(value);
    let found = Number.NaN;
    for (let r = 0; r < data.length; r++) {
      if (!this.input.responseMask[r]) continue;
      if (Number.isNaN(found) || (reduction === "min" ? data[r] < found : data[r] > found)) found = data[r];
    }
    return found;
  }

  backward(loss: Value): Partial<Record<OutputName, Float64Array>> {
    node(loss).gradient()[0] = 1;
    for (let i = this.nodes.length - 1; i >= 0; i--) {
      const { grad, propagate } = this.nodes[i];
      if (grad && propagate) propagate(grad);
    }
    const gradients: Partial<Record<OutputName, Float64Array>> = {};
    for (const [name, output] of this.read) gradients[name] = output.gradient();
    return gradients;
  }

  private unary(a: Value, { f, dx }: UnaryKernel): Value {
    const x = node(a);
    const out = new Float64Array(x.data.length);
    for (let i = 0; i < out.length; i++) out[i] = f(x.data[i]);
    return this.push(
      x.extent,
      out,
      this.backwardOf([x], (grad) => {
        const gx = x.gradient();
        for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += grad[i] * dx(x.data[i], out[i]);
      }),
    );
  }

  private binary(a: Value, b: Value, { f, da, db }: BinaryKernel): Value {
    const [x, y] = [node(a), node(b)];
    const extent = widest(x.extent, y.extent);
    const [xi, yi] = [this.locate(x, extent), this.locate(y, extent)];
    const out = new Float64Array(this.length(extent));
    for (let i = 0; i < out.length; i++) out[i] = f(x.data[xi(i)], y.data[yi(i)]);
    const accumulate = (
      target: Node,
      at: (i: number) => number,
      derivative: BinaryKernel["da"],
      grad: Float64Array,
    ) => {
      const sum = target.gradient();
      for (let i = 0; i < grad.length; i++) {
        if (grad[i] !== 0) sum[at(i)] += grad[i] * derivative(x.data[xi(i)], y.data[yi(i)], out[i]);
      }
    };
    return this.push(
      extent,
      out,
      this.backwardOf([x, y], (grad) => {
        if (x.propagate) accumulate(x, xi, da, grad);
        if (y.propagate) accumulate(y, yi, db, grad);
      }),
    );
  }

  private push(extent: Extent, data: Float64Array, propagate: Node["propagate"]): Node {
    const made = new Node(extent, data, propagate);
    if (propagate) this.nodes.push(made);
    return made;
  }

  private backwardOf(parents: readonly Node[], propagate: (grad: Float64Array) => void): Node["propagate"] {
    return parents.some((p) => p.propagate) ? propagate : null;
  }

  /** Where element i of an array of extent `to` finds its operand in `from`. */
  private locate(from: Node, to: Extent): (i: number) => number {
    if (from.extent === to) return identity;
    return from.extent === "scalar" ? first : (i) => this.row_R[i];
  }

  private length(extent: Extent): number {
    return extent === "token" ? this.tokens : extent === "sequence" ? this.size : 1;
  }

  private constantData(name: string, extent: Extent, data: ArrayLike<number>): Node {
    let known = this.constants.get(name);
    if (!known) {
      known = this.push(extent, this.checked(name, extent, data), null);
      this.constants.set(name, known);
    }
    return known;
  }

  private checked(name: string, extent: Extent, data: ArrayLike<number>): Float64Array {
    if (data.length !== this.length(extent)) {
      throw errors.VERL_ALGORITHMS_SHAPE({
        what: `"${name}" has ${data.length} values, the batch needs ${this.length(extent)} (one per ${extent})`,
      });
    }
    return Float64Array.from(data);
  }
}

const order: Readonly<Record<Extent, number>> = { scalar: 0, sequence: 1, token: 2 };
const widest = (a: Extent, b: Extent): Extent => (order[a] >= order[b] ? a : b);
const node = (value: Value): Node => value as Node;
const identity = (i: number) => i;
const first = () => 0;

function missing(kind: string, name: string, present: readonly string[]) {
  return errors.VERL_ALGORITHMS_MISSING_INPUT({
    what: `the loss reads the ${kind} "${name}", which this batch does not have`,
    why: `present: ${present.length > 0 ? present.join(", ") : "none"}`,
  });
}
