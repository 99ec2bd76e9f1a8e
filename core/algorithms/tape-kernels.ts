/** The scalar functions behind the tape's elementwise operations, with their derivatives. `y` is the function's value. */
export interface UnaryKernel {
  readonly f: (x: number) => number;
  readonly dx: (x: number, y: number) => number;
}

export interface BinaryKernel {
  readonly f: (a: number, b: number) => number;
  readonly da: (a: number, b: number, y: number) => number;
  readonly db: (a: number, b: number, y: number) => number;
}

const zero = () => 0;
const one = () => 1;
const minusOne = () => -1;

export const unary = {
  neg: { f: (x) => -x, dx: minusOne },
  exp: { f: Math.exp, dx: (_x, y) => y },
  log: { f: Math.log, dx: (x) => 1 / x },
  sqrt: { f: Math.sqrt, dx: (_x, y) => 0.5 / y },
  square: { f: (x) => x * x, dx: (x) => 2 * x },
  abs: { f: Math.abs, dx: Math.sign },
  sigmoid: { f: sigmoid, dx: (_x, y) => y * (1 - y) },
  softplus: { f: softplus, dx: sigmoid },
} satisfies Record<string, UnaryKernel>;

/** Bounds are inclusive for the gradient; if hi < lo, lo wins. */
export function clampKernel(lo: number, hi: number): UnaryKernel {
  return { f: (x) => Math.max(Math.min(x, hi), lo), dx: (x) => (x >= lo && x <= hi ? 1 : 0) };
}

export const binary = {
  add: { f: (a, b) => a + b, da: one, db: one },
  sub: { f: (a, b) => a - b, da: one, db: minusOne },
  mul: { f: (a, b) => a * b, da: (_a, b) => b, db: (a) => a },
  div: { f: (a, b) => a / b, da: (_a, b) => 1 / b, db: (a, b) => -a / (b * b) },
  minimum: { f: (a, b) => Math.min(a, b), da: (a, b) => (a <= b ? 1 : 0), db: (a, b) => (a <= b ? 0 : 1) },
  maximum: { f: (a, b) => Math.max(a, b), da: (a, b) => (a >= b ? 1 : 0), db: (a, b) => (a >= b ? 0 : 1) },
  greater: { f: (a, b) => (a > b ? 1 : 0), da: zero, db: zero },
  greaterEqual: { f: (a, b) => (a >= b ? 1 : 0), da: zero, db: zero },
} satisfies Record<string, BinaryKernel>;

function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}
