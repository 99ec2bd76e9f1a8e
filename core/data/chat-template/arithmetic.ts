import { fail } from "./errors.js";
import { floatPower, nearestDouble } from "./power.js";
import type { PyValue } from "./values.js";
import { spend } from "./work.js";

/** Integers beyond this are refused: a template is not trusted. */
export const MAX_INTEGER_BITS = 100_000;
/** Work of an operation on integers beyond 64 bits, of the largest at most. */
const LONG_OPERATION = 2000;
const MAX_INTEGER = 1n << BigInt(MAX_INTEGER_BITS);

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

export function isNumber(value: PyValue): value is boolean | bigint | number {
  return typeof value === "boolean" || typeof value === "bigint" || typeof value === "number";
}

/** Booleans count as integers. */
export function numeric(value: boolean | bigint | number): bigint | number {
  return typeof value === "boolean" ? BigInt(value) : value;
}

export function asFloat(value: boolean | bigint | number): number {
  const number = Number(value);
  if (!Number.isFinite(number) && typeof value === "bigint") fail("OverflowError", "int too large to convert to float");
  return number;
}

export function sameNumber(a: bigint | number, b: bigint | number): boolean {
  if (typeof a === typeof b) return a === b;
  const [integer, float] = typeof a === "bigint" ? [a, b as number] : [b as bigint, a];
  return Number.isInteger(float) && BigInt(float) === integer;
}

/** Python's arithmetic on integers and floats. */
export function arithmetic(operator: BinaryOperator, a: bigint | number, b: bigint | number): PyValue {
  if (isLong(a) || isLong(b)) spend(LONG_OPERATION);
  if (operator === "/") {
    if (typeof a === "bigint" && typeof b === "bigint") return divide(a, b);
    const divisor = asFloat(b);
    if (divisor === 0) return fail("ZeroDivisionError", "division by zero");
    return asFloat(a) / divisor;
  }
  if (operator === "**") return power(a, b);
  if (typeof a === "bigint" && typeof b === "bigint") return integerArithmetic(operator, a, b);
  return floatArithmetic(operator, asFloat(a), asFloat(b));
}

function isLong(value: bigint | number): boolean {
  return typeof value === "bigint" && BigInt.asIntN(64, value) !== value;
}

/** The double nearest to a quotient of integers, which need not fit into doubles themselves. */
function divide(a: bigint, b: bigint): number {
  if (b === 0n) return fail("ZeroDivisionError", "division by zero");
  const [x, y] = [Number(a), Number(b)];
  if (Number.isSafeInteger(x) && Number.isSafeInteger(y)) return a === 0n ? 0 : x / y;
  const result = nearestDouble(a < 0n ? -a : a, b < 0n ? -b : b);
  if (!Number.isFinite(result)) return fail("OverflowError", "integer division result too large for a float");
  return a < 0n !== b < 0n ? -result : result;
}

function integerArithmetic(operator: BinaryOperator, a: bigint, b: bigint): bigint {
  switch (operator) {
    case "+":
      return limitedInteger(a + b);
    case "-":
      return limitedInteger(a - b);
    case "*":
      return limitedInteger(a * b);
  }
  if (b === 0n) return fail("ZeroDivisionError", "integer division or modulo by zero");
  const remainder = a % b;
  const adjust = remainder !== 0n && remainder < 0n !== b < 0n;
  if (operator === "//") return a / b - (adjust ? 1n : 0n);
  return adjust ? remainder + b : remainder;
}

function limitedInteger(value: bigint): bigint {
  return value > MAX_INTEGER || value < -MAX_INTEGER ? fail("OverflowError", "the integer is too large") : value;
}

function floatArithmetic(operator: BinaryOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
  }
  if (b === 0) return fail("ZeroDivisionError", "float division or modulo by zero");
  let remainder = a % b;
  let quotient = (a - remainder) / b;
  if (remainder !== 0) {
    if (remainder < 0 !== b < 0) {
      remainder += b;
      quotient -= 1;
    }
  } else remainder = b < 0 ? -0 : 0;
  if (operator === "%") return remainder;
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function power(a: bigint | number, b: bigint | number): PyValue {
  if (typeof a === "bigint" && typeof b === "bigint" && b >= 0n) {
    const bits = BigInt(a.toString(2).length);
    if (a !== 0n && a !== 1n && a !== -1n && bits * b > MAX_INTEGER_BITS) {
      return fail("OverflowError", "the power is too large");
    }
    spend(LONG_OPERATION);
    return a ** b;
  }
  const [x, y] = [asFloat(a), asFloat(b)];
  if (x === 0 && y < 0) return fail("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  if (x < 0 && !Number.isInteger(y) && Number.isFinite(y)) {
    return fail("TypeError", "complex numbers are not supported in templates");
  }
  spend(LONG_OPERATION);
  const result = floatPower(x, y);
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) {
    return fail("OverflowError", "numerical result out of range");
  }
  return result;
}
