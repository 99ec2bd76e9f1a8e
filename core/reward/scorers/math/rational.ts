/** An exact fraction in lowest terms with a positive denominator. */
export interface Rational {
  readonly num: bigint;
  readonly den: bigint;
}

export const ZERO: Rational = { num: 0n, den: 1n };
export const ONE: Rational = { num: 1n, den: 1n };

/** Throws a RangeError for the denominator 0. */
export function rational(num: bigint | number, den: bigint | number = 1n): Rational {
  let [n, d] = [BigInt(num), BigInt(den)];
  if (d === 0n) throw new RangeError("division by zero");
  if (d === 1n) return { num: n, den: d };
  const divisor = gcd(n, d);
  n /= divisor;
  d /= divisor;
  return d < 0n ? { num: -n, den: -d } : { num: n, den: d };
}

/** `12.5` and `.5`: digits with at most one point. */
export function fromDecimal(text: string): Rational {
  const [whole, fraction = ""] = text.split(".");
  return rational(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}

export const add = (a: Rational, b: Rational): Rational => rational(a.num * b.den + b.num * a.den, a.den * b.den);
export const multiply = (a: Rational, b: Rational): Rational => rational(a.num * b.num, a.den * b.den);
export const divide = (a: Rational, b: Rational): Rational => rational(a.num * b.den, a.den * b.num);
export const negate = (a: Rational): Rational => ({ num: -a.num, den: a.den });
export const subtract = (a: Rational, b: Rational): Rational => add(a, negate(b));
export const isInteger = (a: Rational): boolean => a.den === 1n;
export const isZero = (a: Rational): boolean => a.num === 0n;
export const same = (a: Rational, b: Rational): boolean => a.num === b.num && a.den === b.den;

export function power(base: Rational, exponent: number): Rational {
  const size = BigInt(Math.abs(exponent));
  const [num, den] = [base.num ** size, base.den ** size];
  return exponent < 0 ? rational(den, num) : { num, den };
}

export function floor({ num, den }: Rational): bigint {
  const quotient = num / den;
  return num % den < 0n ? quotient - 1n : quotient;
}

/** `3`, `-3/4`. */
export const toText = ({ num, den }: Rational): string => (den === 1n ? `${num}` : `${num}/${den}`);

/** The bits of the longer part, rounded up to whole hexadecimal digits: what arithmetic with it costs. */
export const bits = ({ num, den }: Rational): number => 4 * Math.max(num.toString(16).length, den.toString(16).length);

/** The nearest double, also where numerator and denominator are beyond the range of doubles. */
export function toNumber({ num, den }: Rational): number {
  const excess = BigInt(Math.max(0, Math.min(bits({ num, den: 1n }), bits({ num: den, den: 1n })) - 900));
  return Number(num >> excess) / Number(den >> excess);
}

function gcd(a: bigint, b: bigint): bigint {
  a = a < 0n ? -a : a;
  b = b < 0n ? -b : b;
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? 1n : a;
}
