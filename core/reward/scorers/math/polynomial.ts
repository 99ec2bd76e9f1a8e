import * as Q from "./rational.js";
import type { Steps } from "./steps.js";

/**
 * An atom of exact arithmetic: a prime (`2`, with exponents in (0, 1), for roots), the imaginary unit `i`, a variable or
 * constant (`x`, `π`), or something opaque (`?…`) whose algebra is not known.
 */
export type Atom = string;

export interface Term {
  readonly coefficient: Q.Rational;
  /** Sorted by atom, without zero exponents. */
  readonly powers: readonly (readonly [Atom, Q.Rational])[];
}

/**
 * A sum of terms by the key of their powers, none of them zero. Products of roots of distinct primes are linearly independent
 * over the rationals (Besicovitch 1940), so that without opaque atoms a polynomial is zero only if it has no terms.
 */
export type Polynomial = ReadonlyMap<string, Term>;

export function constant(value: Q.Rational): Polynomial {
  return fromTerms([{ coefficient: value, powers: [] }]);
}

export function atom(name: Atom, exponent: Q.Rational = Q.ONE): Polynomial {
  return fromTerms([fold({ coefficient: Q.ONE, powers: [[name, exponent]] })]);
}

export function addPolynomials(a: Polynomial, b: Polynomial, steps: Steps): Polynomial {
  steps.spend(a.size + b.size);
  return fromTerms([...a.values(), ...b.values()]);
}

export function scale(a: Polynomial, by: Q.Rational): Polynomial {
  return fromTerms(Array.from(a.values(), (term) => ({ ...term, coefficient: Q.multiply(term.coefficient, by) })));
}

export function multiplyPolynomials(a: Polynomial, b: Polynomial, steps: Steps): Polynomial {
  const terms: Term[] = [];
  for (const x of a.values()) {
    for (const y of b.values()) {
      steps.spend(1 + x.powers.length + y.powers.length + cost(x.coefficient) + cost(y.coefficient));
      terms.push(multiplyTerms(x, y));
    }
  }
  return fromTerms(terms);
}

export function timesTerm(a: Polynomial, by: Term, steps: Steps): Polynomial {
  steps.spend(a.size * (1 + by.powers.length + cost(by.coefficient)));
  return fromTerms(Array.from(a.values(), (term) => multiplyTerms(term, by)));
}

export function reciprocal({ coefficient, powers }: Term): Term {
  const inverted = powers.map(([name, exponent]) => [name, Q.negate(exponent)] as const);
  return fold({ coefficient: Q.divide(Q.ONE, coefficient), powers: inverted });
}

/** The cost of one multiplication: quadratic in machine words. */
export const cost = (value: Q.Rational): number => (Q.bits(value) / 64) ** 2;

/** The only term of a polynomial, or null. */
export function onlyTerm(polynomial: Polynomial): Term | null {
  const [term] = polynomial.values();
  return polynomial.size === 1 ? term : null;
}

/** The value of a polynomial without atoms, or null. */
export function constantOf(polynomial: Polynomial): Q.Rational | null {
  if (polynomial.size === 0) return Q.ZERO;
  const term = onlyTerm(polynomial);
  return term && term.powers.length === 0 ? term.coefficient : null;
}

/** Whether the polynomial may be zero although it has terms. A root of i is one: it is no new number. */
export function hasOpaque(polynomial: Polynomial): boolean {
  const opaque = ([name, exponent]: Term["powers"][number]) =>
    name.startsWith("?") || (name === "i" && !Q.isInteger(exponent));
  return Array.from(polynomial.values()).some((term) => term.powers.some(opaque));
}

/** One text for equal polynomials. */
export function keyOf(polynomial: Polynomial): string {
  const parts = Array.from(polynomial, ([key, { coefficient }]) => `${Q.toText(coefficient)}*${key}`);
  return parts.sort().join("+");
}

/** The term to a rational power, atoms alone; the coefficient is left to the caller. */
export function raisePowers(powers: Term["powers"], exponent: Q.Rational): Polynomial {
  const raised = powers.map(([name, e]) => [name, Q.multiply(e, exponent)] as const);
  return fromTerms([fold({ coefficient: Q.ONE, powers: raised })]);
}

export function fromTerms(terms: Iterable<Term>): Polynomial {
  const result = new Map<string, Term>();
  for (const term of terms) {
    if (Q.isZero(term.coefficient)) continue;
    const key = term.powers.map(([name, exponent]) => `${name}^${Q.toText(exponent)}`).join(" ");
    const known = result.get(key);
    const coefficient = known ? Q.add(known.coefficient, term.coefficient) : term.coefficient;
    if (Q.isZero(coefficient)) result.delete(key);
    else result.set(key, { coefficient, powers: term.powers });
  }
  return result;
}

function multiplyTerms(a: Term, b: Term): Term {
  const powers = new Map(a.powers);
  for (const [name, exponent] of b.powers) powers.set(name, Q.add(powers.get(name) ?? Q.ZERO, exponent));
  const sorted = [...powers].sort(([x], [y]) => (x < y ? -1 : 1));
  return fold({ coefficient: Q.multiply(a.coefficient, b.coefficient), powers: sorted });
}

/** Whole powers of primes and of i belong into the coefficient. */
function fold({ coefficient, powers }: Term): Term {
  const kept: (readonly [Atom, Q.Rational])[] = [];
  for (const [name, exponent] of powers) {
    if (name === "i" && Q.isInteger(exponent)) {
      const turns = Number(((exponent.num % 4n) + 4n) % 4n);
      if (turns >= 2) coefficient = Q.negate(coefficient);
      if (turns % 2 === 1) kept.push([name, Q.ONE]);
    } else if (/^\d/.test(name)) {
      const whole = Q.floor(exponent);
      const rest = Q.subtract(exponent, Q.rational(whole));
      coefficient = Q.multiply(coefficient, Q.power(Q.rational(BigInt(name)), Number(whole)));
      if (!Q.isZero(rest)) kept.push([name, rest]);
    } else if (!Q.isZero(exponent)) kept.push([name, exponent]);
  }
  return { coefficient, powers: kept };
}
