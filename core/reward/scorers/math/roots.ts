import { atom, constant, multiplyPolynomials, type Polynomial, scale } from "./polynomial.js";
import * as Q from "./rational.js";
import type { Steps } from "./steps.js";

/** Factors are looked for up to here; what is left above its square stays whole. */
const LARGEST_FACTOR = 1000n;

/**
 * c^(p/q) with prime factors taken out: 12^(1/2) = 2·3^(1/2). Of a negative c the real root where q is odd, and i times the
 * root where q is 2. Null where neither is so, or where a large factor is left.
 */
export function rootOfRational(c: Q.Rational, exponent: Q.Rational, steps: Steps): Polynomial | null {
  if (Q.isInteger(exponent)) {
    const value = Q.power(c, Number(exponent.num));
    steps.spend(Q.bits(value) / 8);
    return constant(value);
  }
  if (c.num < 0n) {
    const positive = rootOfRational(Q.negate(c), exponent, steps);
    if (!positive) return null;
    if (exponent.den === 2n) return multiplyPolynomials(positive, atom("i", Q.rational(exponent.num)), steps);
    if (exponent.den % 2n === 0n) return null;
    return exponent.num % 2n === 0n ? positive : scale(positive, Q.rational(-1));
  }
  const [over, under] = [primePowers(c.num, exponent, steps), primePowers(c.den, Q.negate(exponent), steps)];
  return over && under && multiplyPolynomials(over, under, steps);
}

function primePowers(n: bigint, exponent: Q.Rational, steps: Steps): Polynomial | null {
  let result = constant(Q.ONE);
  const take = (prime: bigint, count: number) => {
    const power = Q.multiply(exponent, Q.rational(count));
    result = multiplyPolynomials(result, atom(`${prime}`, power), steps);
  };
  for (let divisor = 2n; divisor <= LARGEST_FACTOR && divisor * divisor <= n; divisor++) {
    steps.spend();
    let count = 0;
    for (; n % divisor === 0n; n /= divisor) {
      steps.spend();
      count++;
    }
    if (count > 0) take(divisor, count);
  }
  if (n > LARGEST_FACTOR * LARGEST_FACTOR) {
    const root = squareRoot(n);
    // A perfect square of a large number has a root all the same.
    if (exponent.den !== 2n || root * root !== n) return null;
    return multiplyPolynomials(result, constant(Q.power(Q.rational(root), Number(exponent.num))), steps);
  }
  if (n > 1n) take(n, 1);
  return result;
}

/** The integer part of the square root, by Newton's method. */
function squareRoot(n: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(n.toString(16).length * 2));
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
