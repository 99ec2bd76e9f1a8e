/**
 * The loss algebra evaluated at once, in float64, with every operation recorded for the way back.
 *
 * A gradient of exactly 0 stops where it arrives. So a NaN or an infinity that `where` did not take reaches neither the
 * loss nor any gradient (0 · NaN is never formed).
 */
import type { GlobalCounts, LossAlgebra, Value } from "./algebra.js";
import { errors } from "./errors.js";
import { binary, clampKernel, comparisons, select, unary } from "./tape-kernels.js";
import { addRowSums, missing, node, stride, TapeRecorder, widest } from "./tape-recorder.js";

export class Tape extends TapeRecorder implements LossAlgebra {
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
}
