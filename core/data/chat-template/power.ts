import { exactFraction } from "./float-digits.js";

/** Bits after the point of the fixed-point numbers below. */
const SCALE = 192n;
const ONE = 1n << SCALE;
/** Integer exponents up to here are multiplied out. */
const MAX_EXACT_EXPONENT = 1024;

/**
 * C's `pow`, rounded correctly. JavaScript's `**` is off by one unit in the last place for about one pair in twelve, which Python's
 * seventeen digits show.
 */
export function floatPower(x: number, y: number): number {
  if (y === 0 || x === 1) return 1;
  if (x === -1 && !Number.isFinite(y) && !Number.isNaN(y)) return 1;
  if (!Number.isFinite(x) || !Number.isFinite(y) || x === 0) return x ** y;
  if (x < 0 && !Number.isInteger(y)) return Number.NaN;
  const magnitude = Math.abs(x);
  const isExact = Number.isInteger(y) && Math.abs(y) <= MAX_EXACT_EXPONENT;
  const result = isExact ? integerPower(magnitude, y) : exponential(logarithm(magnitude), y);
  return x < 0 && y % 2 !== 0 ? -result : result;
}

function integerPower(x: number, y: number): number {
  const [top, bottom] = exactFraction(x);
  const exponent = BigInt(Math.abs(y));
  const [numerator, denominator] = y < 0 ? [bottom, top] : [top, bottom];
  return nearestDouble(numerator ** exponent, denominator ** exponent);
}

/** The natural logarithm in fixed point: of the power of two, and of what is left between 3/4 and 3/2. */
function logarithm(x: number): bigint {
  let exponent = Math.floor(Math.log2(x));
  if (x / 2 ** exponent >= 1.5) exponent++;
  const [top, bottom] = exactFraction(x);
  const [numerator, denominator] =
    exponent < 0 ? [top << BigInt(-exponent), bottom] : [top, bottom << BigInt(exponent)];
  return BigInt(exponent) * LN2 + halfLogarithm(numerator, denominator) * 2n;
}

/** Half the logarithm of a fraction near 1: the area tangent of (f - 1) / (f + 1). */
function halfLogarithm(numerator: bigint, denominator: bigint): bigint {
  const z = ((numerator - denominator) << SCALE) / (numerator + denominator);
  const square = (z * z) >> SCALE;
  let sum = 0n;
  let term = z;
  for (let n = 1n; term !== 0n && term !== -1n; n += 2n) {
    sum += term / n;
    term = (term * square) >> SCALE;
  }
  return sum;
}

const LN2 = halfLogarithm(2n, 1n) * 2n;

/** e to the product of a fixed-point number and a double. */
function exponential(logarithm: bigint, y: number): number {
  const [top, bottom] = exactFraction(Math.abs(y));
  const product = (logarithm * (y < 0 ? -top : top)) / bottom;
  const exponent = product / LN2;
  if (exponent > 1100n) return Number.POSITIVE_INFINITY;
  if (exponent < -1200n) return 0;
  const rest = product - exponent * LN2;
  let sum = ONE;
  let term = ONE;
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    term = ((term * rest) >> SCALE) / n;
    sum += term;
  }
  return exponent < 0n ? nearestDouble(sum, ONE << -exponent) : nearestDouble(sum << exponent, ONE);
}

/** The double nearest to a positive fraction, ties to even. */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  // Bits of the quotient that a double keeps: 53, fewer below its normal range; one more tells whether anything follows.
  const magnitude = bitLength(numerator) - bitLength(denominator);
  const shift = Math.min(64 - magnitude, 1074 + 2);
  const [top, bottom] =
    shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)];
  const quotient = top / bottom;
  const sticky = top % bottom === 0n ? 0n : 1n;
  return scaled(Number(quotient * 2n + sticky), -shift - 1);
}

/** `value * 2 ** exponent` without a detour through 0 or infinity. */
function scaled(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}
