import type { Activation } from "../../../core/formats/index.js";
import { type Autodiff, type Graph, MICROSOFT, once, type Ref } from "../ir/index.js";

interface Activated {
  readonly value: Ref;
  /** Adds the nodes of the derivative and says where the backward pass takes the value from. */
  backward(): { readonly derivative: Ref; readonly value: Ref };
}

const SQRT_2_OVER_PI = Math.sqrt(2 / Math.PI);
/** Of the tanh that stands for Φ (1606.08415). */
const CUBIC = 0.044715;

type Build = (g: Graph, x: Ref) => Activated;

const ACTIVATIONS: Readonly<Record<Activation, Build>> = {
  silu: (g, x) => ({
    // With alpha 1 this is x · sigmoid(x), in one pass.
    value: g.op("QuickGelu", [x], { alpha: { float: 1 } }, MICROSOFT),
    // Value and sigmoid once more: until the backward pass x alone is kept.
    backward() {
      const sigmoid = g.op("Sigmoid", [x]);
      const value = g.op("Mul", [x, sigmoid]);
      return { derivative: g.op("Sub", [g.op("Add", [sigmoid, value]), g.op("Mul", [sigmoid, value])]), value };
    },
  }),

  gelu: kept((g, x) => ({
    value: g.op("Gelu", [x]),
    // Φ(x) + x φ(x)
    derivative() {
      const erf = g.op("Erf", [g.op("Mul", [x, g.scalar(Math.SQRT1_2)])]);
      const cumulative = g.op("Mul", [g.op("Add", [erf, g.scalar(1)]), g.scalar(0.5)]);
      const exponent = g.op("Mul", [g.op("Mul", [x, x]), g.scalar(-0.5)]);
      const density = g.op("Mul", [g.op("Exp", [exponent]), g.scalar(1 / Math.sqrt(2 * Math.PI))]);
      return g.op("Add", [cumulative, g.op("Mul", [x, density])]);
    },
  })),

  geluTanh: kept((g, x) => ({
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
  })),

  relu: kept((g, x) => ({
    value: g.op("Relu", [x]),
    derivative: () => g.op("Cast", [g.op("Greater", [x, g.scalar(0)])], { to: 1 }),
  })),
};

/** An activation whose value the backward pass takes from the forward pass. */
function kept(build: (g: Graph, x: Ref) => { readonly value: Ref; derivative(): Ref }): Build {
  return (g, x) => {
    const { value, derivative } = build(g, x);
    return { value, backward: () => ({ value, derivative: derivative() }) };
  };
}

/** An activation of x [N, width], element by element. */
export function activate(ad: Autodiff, x: Ref, activation: Activation): Ref {
  const g = ad.graph;
  const { value, backward } = ACTIVATIONS[activation](g, x);
  return ad.record(value, [x], (dy) => [() => g.op("Mul", [dy, backward().derivative])]);
}

/** activation(gate) · up, both [N, inner] (Shazeer, 2002.05202). */
export function gated(ad: Autodiff, gate: Ref, up: Ref, activation: Activation): Ref {
  const g = ad.graph;
  const { value, backward } = ACTIVATIONS[activation](g, gate);
  const again = once(backward);
  const product = g.op("Mul", [value, up]);
  ad.recompute(
    product,
    once(() => (again().value === value ? product : g.op("Mul", [again().value, up]))),
  );
  return ad.record(product, [gate, up], (dy) => [
    () => g.op("Mul", [g.op("Mul", [dy, up]), again().derivative]),
    () => g.op("Mul", [dy, again().value]),
  ]);
}
