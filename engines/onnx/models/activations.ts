import type { Activation } from "../../../core/formats/index.js";
import type { Autodiff, Graph, Ref } from "../ir/index.js";

interface Activated {
  readonly value: Ref;
  /** Adds the nodes of the derivative. */
  derivative(): Ref;
}

const SQRT_2_OVER_PI = Math.sqrt(2 / Math.PI);
/** Of the tanh that stands for Φ (1606.08415). */
const CUBIC = 0.044715;

const ACTIVATIONS: Readonly<Record<Activation, (g: Graph, x: Ref) => Activated>> = {
  silu(g, x) {
    const sigmoid = g.op("Sigmoid", [x]);
    const value = g.op("Mul", [x, sigmoid]);
    return {
      value,
      derivative: () => g.op("Sub", [g.op("Add", [sigmoid, value]), g.op("Mul", [sigmoid, value])]),
    };
  },

  gelu: (g, x) => ({
    value: g.op("Gelu", [x]),
    // Φ(x) + x φ(x)
    derivative() {
      const erf = g.op("Erf", [g.op("Mul", [x, g.scalar(Math.SQRT1_2)])]);
      const cumulative = g.op("Mul", [g.op("Add", [erf, g.scalar(1)]), g.scalar(0.5)]);
      const exponent = g.op("Mul", [g.op("Mul", [x, x]), g.scalar(-0.5)]);
      const density = g.op("Mul", [g.op("Exp", [exponent]), g.scalar(1 / Math.sqrt(2 * Math.PI))]);
      return g.op("Add", [cumulative, g.op("Mul", [x, density])]);
    },
  }),

  geluTanh: (g, x) => ({
    value: g.op("Gelu", [x], { approximate: "tanh" }),
    // u = x (c + c a x²), t = tanh u: ½ (1 + t) + ½ x (1 − t²) (c + 3 c a x²)
    derivative() {
      const square = g.op("Mul", [x, x]);
      const polynomial = (cubic: number) =>
        g.op("Add", [g.op("Mul", [square, g.scalar(SQRT_2_OVER_PI * cubic)]), g.scalar(SQRT_2_OVER_PI)]);
      const t = g.op("Tanh", [g.op("Mul", [x, polynomial(CUBIC)])]);
      const slope = g.op("Sub", [g.scalar(1), g.op("Mul", [t, t])]);
      const inner = g.op("Mul", [g.op("Mul", [x, slope]), polynomial(3 * CUBIC)]);
      return g.op("Mul", [g.op("Add", [g.op("Add", [t, g.scalar(1)]), inner]), g.scalar(0.5)]);
    },
  }),

  relu: (g, x) => ({
    value: g.op("Relu", [x]),
    derivative: () => g.op("Cast", [g.op("Greater", [x, g.scalar(0)])], { to: 1 }),
  }),
};

export function activate(ad: Autodiff, x: Ref, activation: Activation): Ref {
  const g = ad.graph;
  const { value, derivative } = ACTIVATIONS[activation](g, x);
  return ad.record(value, [x], (dy) => [() => g.op("Mul", [dy, derivative()])]);
}

/** activation(gate) · up (Shazeer, 2002.05202). */
export function gated(ad: Autodiff, gate: Ref, up: Ref, activation: Activation): Ref {
  const g = ad.graph;
  const { value, derivative } = ACTIVATIONS[activation](g, gate);
  return ad.record(g.op("Mul", [value, up]), [gate, up], (dy) => [
    () => {
      const slope = derivative();
      return g.op("Mul", [g.op("Mul", [dy, up]), slope]);
    },
    () => g.op("Mul", [dy, value]),
  ]);
}
