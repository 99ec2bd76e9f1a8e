import { minus, size } from "./complex.js";
import type { Expression } from "./expression.js";
import { difference, normalForm, type Quotient, rationalOf, Undefined } from "./normal-form.js";
import { evaluate } from "./numeric.js";
import { hasOpaque } from "./polynomial.js";
import { type Rational, toNumber } from "./rational.js";
import type { Steps } from "./steps.js";

/** Where variables are sampled when exact arithmetic cannot decide; each name is moved from these by its letters. */
const SAMPLES = [0.7310585786300049, 2.2360679774997, -1.3862943611198906];
const RELATIVE = 1e-9;
const ABSOLUTE = 1e-13;

/**
 * Whether two expressions have the same value. Exact as long as they consist of rational numbers, roots of rational numbers,
 * π, e, i and variables; where they hold functions or nested roots, they are compared in doubles as well.
 */
export function equalValues(a: Expression, b: Expression, steps: Steps): boolean {
  try {
    const { num } = difference(normalForm(a, steps), normalForm(b, steps), steps);
    if (num.size === 0) return true;
    return hasOpaque(num) && equalNumbers(a, b, steps);
  } catch (error) {
    if (error instanceof Undefined) return false;
    throw error;
  }
}

function equalNumbers(a: Expression, b: Expression, steps: Steps): boolean {
  return SAMPLES.every((sample) => {
    const at = (name: string) => sample * (1 + hash(name) / 97);
    const [x, y] = [evaluate(a, at, steps), evaluate(b, at, steps)];
    const gap = size(minus(x, y));
    return Number.isFinite(gap) && gap <= RELATIVE * Math.max(size(x), size(y)) + ABSOLUTE;
  });
}

function hash(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 97;
  return sum;
}

/** The rational number that an expression is worth, or null. */
export function rationalValue(expression: Expression, steps: Steps): Rational | null {
  const form = formOf(expression, steps);
  return form && rationalOf(form);
}

/** Whether |a − b| ≤ tolerance · |b|, both being real numbers. */
export function nearlyEqual(a: Expression, b: Expression, tolerance: number, steps: Steps): boolean {
  const [x, y] = [realValue(a, steps), realValue(b, steps)];
  return Math.abs(x - y) <= tolerance * Math.abs(y);
}

/** The real number that an expression is worth, in doubles; NaN when it is none. */
export function realValue(expression: Expression, steps: Steps): number {
  const exact = rationalValue(expression, steps);
  if (exact) return toNumber(exact);
  const { re, im } = evaluate(expression, () => Number.NaN, steps);
  return Math.abs(im) <= RELATIVE * Math.abs(re) ? re : Number.NaN;
}

function formOf(expression: Expression, steps: Steps): Quotient | null {
  try {
    return normalForm(expression, steps);
  } catch (error) {
    if (error instanceof Undefined) return null;
    throw error;
  }
}
