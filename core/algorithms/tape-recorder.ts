/**
 * What a tape is made of: values with their gradients, repeated to one another's extent, computed by kernels and recorded for
 * the way back. The operations of the algebra are in `tape-algebra.ts`.
 */
import { type Extent, type LossInput, type OutputName, outputExtent, type Value } from "./algebra.js";
import { errors } from "./errors.js";
import type { BinaryKernel, UnaryKernel } from "./tape-kernels.js";

/** A value on the tape, one number per token, sequence or batch. */
export class Node implements Value {
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

export class TapeRecorder {
  protected readonly size: number;
  private readonly tokens: number;
  private readonly nodes: Node[] = [];
  private readonly read = new Map<OutputName, Node>();
  private readonly constants = new Map<string, Node>();

  constructor(protected readonly input: LossInput) {
    const offsets = input.responseOffsets;
    this.size = offsets.length - 1;
    this.tokens = offsets[this.size];
  }

  /** An output of the model, with a gradient. Missing or of another length: coded errors. */
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

  /** ∂loss/∂output for every output that was read; a scalar is differentiated. */
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

  protected unary(a: Value, kernel: UnaryKernel): Value {
    const x = node(a);
    const out = new Float64Array(x.data.length);
    kernel.forward(x.data, out);
    return this.push(
      x.extent,
      out,
      this.backwardOf([x], (grad) => kernel.backward(grad, x.data, out, x.gradient())),
    );
  }

  protected binary(a: Value, b: Value, kernel: BinaryKernel): Value {
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

  protected compare(a: Value, b: Value, holds: BinaryKernel["forward"]): Value {
    const extent = widest(a.extent, b.extent);
    const [x, y] = [this.spread(a, extent), this.spread(b, extent)];
    const out = new Float64Array(this.length(extent));
    holds(x.data, stride(x), y.data, stride(y), out);
    return this.push(extent, out, null);
  }

  /** Per-sequence values in the company of per-token ones are repeated; scalars stand for all by their stride. */
  protected spread(a: Value, extent: Extent): Node {
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

  protected push(extent: Extent, data: Float64Array, propagate: Node["propagate"]): Node {
    const made = new Node(extent, data, propagate);
    if (propagate) this.nodes.push(made);
    return made;
  }

  protected backwardOf(parents: readonly Node[], propagate: (grad: Float64Array) => void): Node["propagate"] {
    return parents.some((p) => p.propagate) ? propagate : null;
  }

  protected length(extent: Extent): number {
    return extent === "token" ? this.tokens : extent === "sequence" ? this.size : 1;
  }

  protected constantData(name: string, extent: Extent, data: ArrayLike<number>): Node {
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
export const widest = (a: Extent, b: Extent): Extent => (order[a] >= order[b] ? a : b);
/** Every value of a tape is a node of it. */
export const node = (value: Value): Node => value as Node;
/** How kernels step through an operand: −1 element by element, 0 for one that stands for all. */
export const stride = ({ extent }: Node): number => (extent === "scalar" ? 0 : -1);

/** Adds each row's sum of per-token values, [R] → [B]. */
export function addRowSums(values_R: Float64Array, offsets: Int32Array, sums_B: Float64Array): void {
  for (let b = 0; b < sums_B.length; b++) {
    let sum = 0;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) sum += values_R[r];
    sums_B[b] += sum;
  }
}

export function missing(kind: string, name: string, present: readonly string[]) {
  return errors.VERL_ALGORITHMS_MISSING_INPUT({
    what: `the loss reads the ${kind} "${name}", which this batch does not have`,
    why: `present: ${present.length > 0 ? present.join(", ") : "none"}`,
  });
}
