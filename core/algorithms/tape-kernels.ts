/**
 * The loops behind the tape's elementwise operations and their derivatives, one per operation: an engine that compiles
 * just in time makes a tight loop of each, and of none that calls a function per element.
 *
 * An operand of one element stands for all: it is read as `a[i & m]` with m = 0, an operand of full length with m = −1. Backward
 * loops add to the operand's gradient and skip gradients of 0, so that 0 · NaN is never formed.
 */
export type Numbers = Float64Array;

export interface UnaryKernel {
  forward(x: Numbers, out: Numbers): void;
  /** Adds to `gx`, given the gradient of the result `y`. */
  backward(grad: Numbers, x: Numbers, y: Numbers, gx: Numbers): void;
}

export interface BinaryKernel {
  forward(a: Numbers, ma: number, b: Numbers, mb: number, out: Numbers): void;
  /** Adds to `ga`. */
  backwardA(grad: Numbers, a: Numbers, ma: number, b: Numbers, mb: number, ga: Numbers): void;
  /** Adds to `gb`. */
  backwardB(grad: Numbers, a: Numbers, ma: number, b: Numbers, mb: number, gb: Numbers): void;
}

export const unary = {
  neg: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = -x[i];
    },
    backward(grad, _x, _y, gx) {
      for (let i = 0; i < grad.length; i++) gx[i] -= grad[i];
    },
  },
  exp: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.exp(x[i]);
    },
    backward(grad, _x, y, gx) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += grad[i] * y[i];
    },
  },
  log: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.log(x[i]);
    },
    backward(grad, x, _y, gx) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += grad[i] / x[i];
    },
  },
  sqrt: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(x[i]);
    },
    backward(grad, _x, y, gx) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += (0.5 * grad[i]) / y[i];
    },
  },
  square: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = x[i] * x[i];
    },
    backward(grad, x, _y, gx) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += 2 * grad[i] * x[i];
    },
  },
  abs: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.abs(x[i]);
    },
    backward(grad, x, _y, gx) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += grad[i] * Math.sign(x[i]);
    },
  },
  sigmoid: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = sigmoid(x[i]);
    },
    backward(grad, _x, y, gx) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += grad[i] * y[i] * (1 - y[i]);
    },
  },
  softplus: {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.max(x[i], 0) + Math.log1p(Math.exp(-Math.abs(x[i])));
    },
    backward(grad, x, _y, gx) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gx[i] += grad[i] * sigmoid(x[i]);
    },
  },
} satisfies Record<string, UnaryKernel>;

/** Bounds are inclusive for the gradient; if hi < lo, lo wins. */
export function clampKernel(lo: number, hi: number): UnaryKernel {
  return {
    forward(x, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.max(Math.min(x[i], hi), lo);
    },
    backward(grad, x, _y, gx) {
      for (let i = 0; i < grad.length; i++) if (x[i] >= lo && x[i] <= hi) gx[i] += grad[i];
    },
  };
}

const addTo = (grad: Numbers, m: number, target: Numbers) => {
  for (let i = 0; i < grad.length; i++) target[i & m] += grad[i];
};

export const binary = {
  add: {
    forward(a, ma, b, mb, out) {
      for (let i = 0; i < out.length; i++) out[i] = a[i & ma] + b[i & mb];
    },
    backwardA: (grad, _a, ma, _b, _mb, ga) => addTo(grad, ma, ga),
    backwardB: (grad, _a, _ma, _b, mb, gb) => addTo(grad, mb, gb),
  },
  sub: {
    forward(a, ma, b, mb, out) {
      for (let i = 0; i < out.length; i++) out[i] = a[i & ma] - b[i & mb];
    },
    backwardA: (grad, _a, ma, _b, _mb, ga) => addTo(grad, ma, ga),
    backwardB(grad, _a, _ma, _b, mb, gb) {
      for (let i = 0; i < grad.length; i++) gb[i & mb] -= grad[i];
    },
  },
  mul: {
    forward(a, ma, b, mb, out) {
      for (let i = 0; i < out.length; i++) out[i] = a[i & ma] * b[i & mb];
    },
    backwardA(grad, _a, ma, b, mb, ga) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) ga[i & ma] += grad[i] * b[i & mb];
    },
    backwardB(grad, a, ma, _b, mb, gb) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) gb[i & mb] += grad[i] * a[i & ma];
    },
  },
  div: {
    forward(a, ma, b, mb, out) {
      for (let i = 0; i < out.length; i++) out[i] = a[i & ma] / b[i & mb];
    },
    backwardA(grad, _a, ma, b, mb, ga) {
      for (let i = 0; i < grad.length; i++) if (grad[i] !== 0) ga[i & ma] += grad[i] / b[i & mb];
    },
    backwardB(grad, a, ma, b, mb, gb) {
      for (let i = 0; i < grad.length; i++) {
        if (grad[i] !== 0) gb[i & mb] -= (grad[i] * a[i & ma]) / (b[i & mb] * b[i & mb]);
      }
    },
  },
  minimum: {
    forward(a, ma, b, mb, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.min(a[i & ma], b[i & mb]);
    },
    backwardA(grad, a, ma, b, mb, ga) {
      for (let i = 0; i < grad.length; i++) if (a[i & ma] <= b[i & mb]) ga[i & ma] += grad[i];
    },
    backwardB(grad, a, ma, b, mb, gb) {
      for (let i = 0; i < grad.length; i++) if (!(a[i & ma] <= b[i & mb])) gb[i & mb] += grad[i];
    },
  },
  maximum: {
    forward(a, ma, b, mb, out) {
      for (let i = 0; i < out.length; i++) out[i] = Math.max(a[i & ma], b[i & mb]);
    },
    backwardA(grad, a, ma, b, mb, ga) {
      for (let i = 0; i < grad.length; i++) if (a[i & ma] >= b[i & mb]) ga[i & ma] += grad[i];
    },
    backwardB(grad, a, ma, b, mb, gb) {
      for (let i = 0; i < grad.length; i++) if (!(a[i & ma] >= b[i & mb])) gb[i & mb] += grad[i];
    },
  },
} satisfies Record<string, BinaryKernel>;

type Comparison = BinaryKernel["forward"];

/** 1 where it holds, else 0; without gradients. */
export const comparisons = {
  greater(a, ma, b, mb, out) {
    for (let i = 0; i < out.length; i++) out[i] = a[i & ma] > b[i & mb] ? 1 : 0;
  },
  greaterEqual(a, ma, b, mb, out) {
    for (let i = 0; i < out.length; i++) out[i] = a[i & ma] >= b[i & mb] ? 1 : 0;
  },
} satisfies Record<string, Comparison>;

export const select = {
  forward(c: Numbers, mc: number, a: Numbers, ma: number, b: Numbers, mb: number, out: Numbers): void {
    for (let i = 0; i < out.length; i++) out[i] = c[i & mc] !== 0 ? a[i & ma] : b[i & mb];
  },
  /** Adds the gradient where the condition holds. */
  backwardA(grad: Numbers, c: Numbers, mc: number, ma: number, ga: Numbers): void {
    for (let i = 0; i < grad.length; i++) if (c[i & mc] !== 0) ga[i & ma] += grad[i];
  },
  /** Adds the gradient where it does not. */
  backwardB(grad: Numbers, c: Numbers, mc: number, mb: number, gb: Numbers): void {
    for (let i = 0; i < grad.length; i++) if (c[i & mc] === 0) gb[i & mb] += grad[i];
  },
};

function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}
