import type { Expression } from "./expression.js";
import {
  addPolynomials,
  atom,
  constant,
  constantOf,
  cost,
  keyOf,
  multiplyPolynomials,
  onlyTerm,
  type Polynomial,
  raisePowers,
  reciprocal,
  scale,
  timesTerm,
} from "./polynomial.js";
import * as Q from "./rational.js";
import { rootOfRational } from "./roots.js";
import type { Steps } from "./steps.js";

/** A quotient of two polynomials; the denominator has terms. */
export interface Quotient {
  readonly num: Polynomial;
  readonly den: Polynomial;
}

/** Thrown inside this folder for 1/0 and the like; never leaves it. */
export class Undefined extends Error {}

const UNIT = constant(Q.ONE);
/** Beyond these, a power stays opaque instead of being multiplied out. */
const LARGEST_EXPONENT = 64;
const LARGEST_BITS = 8192;

/** What an expression is worth, exactly. What has no algebra here (sines, logarithms, x^n) becomes an opaque atom. */
export function normalForm(e: Expression, steps: Steps): Quotient {
  steps.spend();
  const of = (part: Expression) => normalForm(part, steps);
  switch (e.type) {
    case "number":
      return whole(constant(e.value));
    case "symbol":
      return whole(atom(e.name));
    case "negate":
      return negated(of(e.of));
    case "add":
      return e.terms.map(of).reduce((a, b) => sum(a, b, steps));
    case "multiply":
      return e.factors.map(of).reduce((a, b) => product(a, b, steps));
    case "divide":
      return product(of(e.over), inverse(of(e.under), steps), steps);
    case "power":
      return power(of(e.base), of(e.exponent), steps);
    case "root":
      return power(of(e.of), inverse(of(e.degree), steps), steps);
    case "call":
      return call(e.name, e.args.map(of), steps);
  }
}

export function difference(a: Quotient, b: Quotient, steps: Steps): Quotient {
  return sum(a, negated(b), steps);
}

/** The rational number that a quotient is, or null. */
export function rationalOf({ num, den }: Quotient): Q.Rational | null {
  const [n, d] = [constantOf(num), constantOf(den)];
  if (n && d) return Q.divide(n, d);
  return num.size === 0 ? Q.ZERO : null;
}

export function opaque(name: string, parts: readonly Quotient[], exponent: Q.Rational = Q.ONE): Quotient {
  const keys = parts.map(({ num, den }) => `${keyOf(num)}÷${keyOf(den)}`);
  return whole(atom(`?${name}(${keys.join("; ")})`, exponent));
}

const whole = (num: Polynomial): Quotient => ({ num, den: UNIT });
const negated = ({ num, den }: Quotient): Quotient => ({ num: scale(num, Q.rational(-1)), den });

function inverse({ num, den }: Quotient, steps: Steps): Quotient {
  if (num.size === 0) throw new Undefined();
  return simplified(den, num, steps);
}

function sum(a: Quotient, b: Quotient, steps: Steps): Quotient {
  if (keyOf(a.den) === keyOf(b.den)) return { num: addPolynomials(a.num, b.num, steps), den: a.den };
  const [left, right] = [multiplyPolynomials(a.num, b.den, steps), multiplyPolynomials(b.num, a.den, steps)];
  return { num: addPolynomials(left, right, steps), den: multiplyPolynomials(a.den, b.den, steps) };
}

function product(a: Quotient, b: Quotient, steps: Steps): Quotient {
  return simplified(multiplyPolynomials(a.num, b.num, steps), multiplyPolynomials(a.den, b.den, steps), steps);
}

/** A denominator of one term goes into the numerator. */
function simplified(num: Polynomial, den: Polynomial, steps: Steps): Quotient {
  const term = onlyTerm(den);
  return term ? whole(timesTerm(num, reciprocal(term), steps)) : { num, den };
}

function power(base: Quotient, exponent: Quotient, steps: Steps): Quotient {
  const by = rationalOf(exponent);
  if (!by) return opaque("pow", [base, exponent]);
  if (Q.isZero(by)) return whole(UNIT);
  if (by.num < 0n) return power(inverse(base, steps), whole(constant(Q.negate(by))), steps);
  if (base.num.size === 0) return base;
  const term = onlyTerm(base.num);
  if (term && constantOf(base.den)) return powerOfTerm(base, by, steps);
  if (!Q.isInteger(by) || by.num > LARGEST_EXPONENT) return opaque("pow", [base], by);
  let [result, factor, left] = [whole(UNIT), base, Number(by.num)];
  for (; left > 0; left >>= 1) {
    if (left & 1) result = product(result, factor, steps);
    if (left > 1) factor = product(factor, factor, steps);
  }
  return result;
}

function powerOfTerm(base: Quotient, by: Q.Rational, steps: Steps): Quotient {
  const term = onlyTerm(base.num)!;
  const coefficient = Q.divide(term.coefficient, constantOf(base.den)!);
  if (Math.abs(Q.toNumber(by)) * Q.bits(coefficient) > LARGEST_BITS) return opaque("pow", [base], by);
  if (term.powers.length > 0 && Q.toNumber(by) > LARGEST_BITS / 8) return opaque("pow", [base], by);
  // √(x²) is |x|, not x.
  const even = (e: Q.Rational) => e.num % 2n === 0n;
  if (by.den % 2n === 0n && term.powers.some(([name, e]) => !/^\d/.test(name) && even(e))) {
    return opaque("pow", [base], by);
  }
  const root = rootOfRational(coefficient, by, steps);
  if (!root) return opaque("pow", [base], by);
  return whole(multiplyPolynomials(root, raisePowers(term.powers, by), steps));
}

function call(name: string, args: readonly Quotient[], steps: Steps): Quotient {
  const [first, second] = args.map(rationalOf);
  if (name === "degrees") return product(args[0], whole(scale(atom("π"), Q.rational(1, 180))), steps);
  if (name === "exp") return power(whole(atom("e")), args[0], steps);
  if (first) {
    if (name === "abs") return whole(constant(first.num < 0n ? Q.negate(first) : first));
    if (name === "floor") return whole(constant(Q.rational(Q.floor(first))));
    if (name === "ceiling") return whole(constant(Q.rational(-Q.floor(Q.negate(first)))));
    if (name === "factorial" && Q.isInteger(first)) return whole(constant(falling(first.num, first.num, steps)));
    if (name === "binom" && second && Q.isInteger(first) && Q.isInteger(second)) {
      return whole(constant(Q.divide(falling(first.num, second.num, steps), falling(second.num, second.num, steps))));
    }
  }
  return opaque(name, args);
}

/** n (n − 1) … (n − k + 1). */
function falling(n: bigint, k: bigint, steps: Steps): Q.Rational {
  if (k < 0n || n < 0n) throw new Undefined();
  let result = Q.ONE;
  for (let i = 0n; i < k; i++) {
    steps.spend(1 + cost(result));
    result = Q.multiply(result, Q.rational(n - i));
  }
  return result;
}
