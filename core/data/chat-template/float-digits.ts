import { spend } from "./work.js";

/** Decimal digits of doubles as C's printf gives them: exact, ties to even. JavaScript's own functions round ties up. */

/** A non-negative finite double as a fraction of integers. */
export function exactFraction(value: number): [numerator: bigint, denominator: bigint] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const mantissa = (word & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const shift = Math.max(exponent, 1) - 1075;
  return shift >= 0 ? [mantissa << BigInt(shift), 1n] : [mantissa, 1n << BigInt(-shift)];
}

/** The nearest integer to a fraction, the even one of two that are equally near. */
export function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** `%f` of a non-negative finite number. */
export function fixed(value: number, precision: number, alternate = false): string {
  const digits = scaled(value, precision)
    .toString()
    .padStart(precision + 1, "0");
  if (precision === 0) return alternate ? `${digits}.` : digits;
  return `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
}

/** The integer nearest to value times 10^places. */
function scaled(value: number, places: number): bigint {
  spend(4 * Math.abs(places));
  const [numerator, denominator] = exactFraction(value);
  const scale = 10n ** BigInt(Math.abs(places));
  return places >= 0 ? divideToEven(numerator * scale, denominator) : divideToEven(numerator, denominator * scale);
}

/** `%e` of a non-negative finite number. */
export function exponential(value: number, precision: number, alternate = false): string {
  const { digits, exponent } = significant(value, precision + 1);
  return scientific(digits, exponent, alternate);
}

/**
 * `%g` of a non-negative finite number. `pointed` is a precision without a type in Python's `format`: the text shows that it is a
 * float, as `2.0` or with an exponent.
 */
export function general(value: number, precision: number, alternate = false, pointed = false): string {
  const count = precision || 1;
  const { digits, exponent } = significant(value, count);
  const kept = alternate ? digits : withoutZeros(digits);
  if (exponent < -4 || exponent >= count - (pointed ? 1 : 0)) return scientific(kept, exponent, alternate);
  const whole = exponent < 0 ? "0" : kept.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = exponent < 0 ? "0".repeat(-exponent - 1) + kept : kept.slice(exponent + 1);
  if (fraction !== "") return `${whole}.${fraction}`;
  return pointed ? `${whole}.0` : alternate ? `${whole}.` : whole;
}

/** Without zeros at the end, except the first digit. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** This many significant digits, and the power of ten of the first. */
function significant(value: number, count: number): { digits: string; exponent: number } {
  if (value === 0) return { digits: "0".repeat(count), exponent: 0 };
  // Off by one near powers of ten; the length of the result tells.
  let exponent = Math.floor(Math.log10(value));
  for (;;) {
    const digits = scaled(value, count - 1 - exponent).toString();
    if (digits.length === count) return { digits, exponent };
    exponent += digits.length > count ? 1 : -1;
  }
}

function scientific(digits: string, exponent: number, alternate: boolean): string {
  const mantissa = digits.length > 1 || alternate ? `${digits[0]}.${digits.slice(1)}` : digits;
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
