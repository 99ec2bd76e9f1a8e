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
import {
  type BinaryKernel,
  binary,
  clampKernel,
  comparisons,
  select,
  type UnaryKernel,
  unary,
} from "./tape-kernels.js";

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

  constructor(private readonly input: LossInput) {
    const offsets = input.responseOffsets;
    this.size = offsets.length - 1;
    this.tokens = offsets[this.size];
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
    return this.compare(a, b, comparisons.greater);
  }

  greaterEqual(a: Value, b: Value): Value {
    return this.compare(a, b, comparisons.greaterEqual);
  }

  where(condition: Value, a: Value, b: Value): Value {
    const extent = widest(widest(condition.extent, a.extent), b.extent);
    const [c, x, y] = [condition, a, b].map((v) => this.spread(v, extent));
    const [mc, mx, my] = [c, x, y].map(stride);
    const out = new Float64Array(this.length(extent));
    select.forward(c.data, mc, x.data, mx, y.data, my, out);
    return this.push(
      extent,
      out,
      this.backwardOf([x, y], (grad) => {
        if (x.propagate) select.backwardA(grad, c.data, mc, mx, x.gradient());
        if (y.propagate) select.backwardB(grad, c.data, mc, my, y.gradient());
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
    const { responseOffsets: offsets } = this.input;
    const out = new Float64Array(this.size);
    addRowSums(x.data, offsets, out);
    return this.push(
      "sequence",
      out,
      this.backwardOf([x], (grad) => {
        const gx = x.gradient();
        for (let b = 0; b < this.size; b++) for (let r = offsets[b]; r < offsets[b + 1]; r++) gx[r] += grad[b];
      }),
    );
  }

  sum(a: Value): Value {
    const x = node(a);
    let total = 0;
    for (let i = 0; i < x.data.length; i++) total += x.data[i];
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

  /** The numbers behind a value per token, [R]. */
  valuesOf(value: Value): Float64Array {
    return this.spread(value, "token").data;
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

  private unary(a: Value, kernel: UnaryKernel): Value {
    const x = node(a);
    const out = new Float64Array(x.data.length);
    kernel.forward(x.data, out);
    return this.push(
      x.extent,
      out,
      this.backwardOf([x], (grad) => kernel.backward(grad, x.data, out, x.gradient())),
    );
  }

  private binary(a: Value, b: Value, kernel: BinaryKernel): Value {
    const extent = widest(a.extent, b.extent);
    const [x, y] = [this.spread(a, extent), this.spread(b, extent)];
    const [mx, my] = [stride(x), stride(y)];
    const out = new Float64Array(this.length(extent));
    kernel.forward(x.data, mx, y.data, my, out);
    return this.push(
      extent,
      out,
      this.backwardOf([x, y], (grad) => {
        if (x.propagate) kernel.backwardA(grad, x.data, mx, y.data, my, x.gradient());
        if (y.propagate) kernel.backwardB(grad, x.data, mx, y.data, my, y.gradient());
      }),
    );
  }

  private compare(a: Value, b: Value, holds: BinaryKernel["forward"]): Value {
    const extent = widest(a.extent, b.extent);
    const [x, y] = [this.spread(a, extent), this.spread(b, extent)];
    const out = new Float64Array(this.length(extent));
    holds(x.data, stride(x), y.data, stride(y), out);
    return this.push(extent, out, null);
  }

  /** Per-sequence values in the company of per-token ones are repeated; scalars stand for all by their stride. */
  private spread(a: Value, extent: Extent): Node {
    const x = node(a);
    if (x.extent !== "sequence" || extent !== "token") return x;
    const { responseOffsets: offsets } = this.input;
    const out = new Float64Array(this.tokens);
    for (let b = 0; b < this.size; b++) out.fill(x.data[b], offsets[b], offsets[b + 1]);
    return this.push(
      "token",
      out,
      this.backwardOf([x], (grad) => addRowSums(grad, offsets, x.gradient())),
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
    return new Float64Array(data);
  }
}

const order: Readonly<Record<Extent, number>> = { scalar: 0, sequence: 1, token: 2 };
const widest = (a: Extent, b: Extent): Extent => (order[a] >= order[b] ? a : b);
const node = (value: Value): Node => value as Node;
/** How kernels step through an operand: −1 element by element, 0 for one that stands for all. */
const stride = ({ extent }: Node): number => (extent === "scalar" ? 0 : -1);

/** Adds each row's sum of per-token values, [R] → [B]. */
function addRowSums(values_R: Float64Array, offsets: Int32Array, sums_B: Float64Array): void {
  for (let b = 0; b < sums_B.length; b++) {
    let sum = 0;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) sum += values_R[r];
    sums_B[b] += sum;
  }
}

function missing(kind: string, name: string, present: readonly string[]) {
  return errors.VERL_ALGORITHMS_MISSING_INPUT({
    what: `the loss reads the ${kind} "${name}", which this batch does not have`,
    why: `present: ${present.length > 0 ? present.join(", ") : "none"}`,
  });
}
