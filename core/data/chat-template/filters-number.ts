import { asFloat, isNumber, MAX_INTEGER_BITS } from "./arithmetic.js";
import { fail } from "./errors.js";
import type { FilterTable } from "./filter.js";
import { divideToEven, exactFraction } from "./float-digits.js";
import { binary } from "./operators.js";
import { truncate } from "./percent-format.js";
import { strip } from "./string-methods.js";
import { integerArgument, MAX_INTEGER_DIGITS, str } from "./text.js";
import { asciiDigits } from "./unicode.js";
import { Markup, orElse, type PyValue, typeName, Undefined } from "./values.js";
import { spend } from "./work.js";

export const NUMBER_FILTERS: FilterTable = [
  ["abs", { parameters: [], apply: absolute }],
  [
    "int",
    {
      parameters: ["default?", "base?"],
      apply: (value, [fallback, base]) => toInteger(value, orElse(fallback, 0n), base),
    },
  ],
  ["float", { parameters: ["default?"], apply: (value, [fallback]) => toFloat(value, orElse(fallback, 0)) }],
  ["round", { parameters: ["precision?", "method?"], apply: round }],
];

function absolute(value: PyValue): PyValue {
  if (value instanceof Undefined) value.fail();
  if (typeof value === "number") return Math.abs(value);
  if (typeof value === "bigint") return value < 0n ? -value : value;
  if (typeof value === "boolean") return BigInt(value);
  return fail("TypeError", `bad operand type for abs(): '${typeName(value)}'`);
}

function toInteger(value: PyValue, fallback: PyValue, base: PyValue | undefined): PyValue {
  if (value instanceof Undefined) value.fail();
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return BigInt(value);
  if (typeof value === "number") {
    if (Number.isNaN(value)) return fallback;
    return Number.isFinite(value) ? truncate(value) : fail("OverflowError", "cannot convert float infinity to integer");
  }
  if (typeof value !== "string" && !(value instanceof Markup)) return fallback;
  const text = str(value);
  const integer = parseInteger(text, base);
  if (integer !== null) return integer;
  const float = parseFloatText(text);
  return float !== null && Number.isFinite(float) ? truncate(float) : fallback;
}

/**
 * Python's `int(text, base)`: blanks around, a sign, a prefix that fits the base, underscores between digits. Null where Python
 * raises, also for a base that is none.
 */
function parseInteger(text: string, given: PyValue = 10n): bigint | null {
  if (typeof given !== "bigint" && typeof given !== "boolean") return null;
  const base = Number(given);
  if (base !== 0 && (base < 2 || base > 36)) return null;
  const match = /^([+-]?)(0[xob]_?)?([0-9a-z]+(?:_[0-9a-z]+)*)$/i.exec(numberText(text));
  if (!match) return null;
  const [, sign, prefix = "", body] = match;
  const prefixBase = PREFIX_BASES[prefix.slice(0, 2).toLowerCase()];
  const hasPrefix = prefixBase !== undefined && (base === 0 || base === prefixBase);
  const radix = hasPrefix ? prefixBase : base || 10;
  const digits = (hasPrefix ? body : prefix + body).replaceAll("_", "").toLowerCase();
  if (digits.length > MAX_INTEGER_DIGITS && (radix & (radix - 1)) !== 0) return null;
  if (digits.length * Math.log2(radix) > MAX_INTEGER_BITS) return fail("OverflowError", "the integer is too large");
  const value = readDigits(digits, radix);
  // Without a base, a number may not begin with zeros.
  if (value === null || (base === 0 && !hasPrefix && digits[0] === "0" && value !== 0n)) return null;
  return sign === "-" ? -value : value;
}

/** The text of a number without blanks around it, in ASCII digits. */
function numberText(text: string): string {
  const trimmed = strip(text, undefined, "both");
  if (trimmed.length <= MAX_NUMBER_TEXT) return asciiDigits(trimmed);
  return fail("OverflowError", `a number of more than ${MAX_NUMBER_TEXT} characters`);
}

const MAX_NUMBER_TEXT = 200_000;

function readDigits(digits: string, radix: number): bigint | null {
  const worths = Array.from(digits, (digit) => Number.parseInt(digit, 36));
  if (worths.some((worth) => worth >= radix)) return null;
  if (radix === 10) return BigInt(digits);
  return worths.reduce((value, worth) => value * BigInt(radix) + BigInt(worth), 0n);
}

const PREFIX_BASES: Readonly<Record<string, number>> = { "0x": 16, "0o": 8, "0b": 2 };

function toFloat(value: PyValue, fallback: PyValue): PyValue {
  if (value instanceof Undefined) value.fail();
  if (isNumber(value)) return asFloat(value);
  if (typeof value !== "string" && !(value instanceof Markup)) return fallback;
  return parseFloatText(str(value)) ?? fallback;
}

function parseFloatText(text: string): number | null {
  const trimmed = numberText(text);
  if (/^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i.test(trimmed)) {
    return Number(trimmed.replaceAll("_", ""));
  }
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed);
  if (!special) return null;
  if (special[2].toLowerCase() === "nan") return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function round(value: PyValue, [precision = 0n, method = "common"]: readonly (PyValue | undefined)[]): PyValue {
  const how = str(method);
  if (how !== "common" && how !== "ceil" && how !== "floor") {
    return fail("FilterArgumentError", "method must be common, ceil or floor");
  }
  if (how === "common") return roundCommon(value, precision);
  const scale = binary("**", 10n, precision);
  const scaled = binary("*", value, scale);
  if (!isNumber(scaled)) return fail("TypeError", `must be real number, not ${typeName(scaled)}`);
  const whole = typeof scaled === "number" ? truncate(how === "ceil" ? Math.ceil(scaled) : Math.floor(scaled)) : scaled;
  return binary("/", whole, scale);
}

/** Python's `round(value, precision)`, an integer if the precision is None. */
function roundCommon(value: PyValue, precision: PyValue): PyValue {
  if (!isNumber(value)) return fail("TypeError", `type ${typeName(value)} doesn't define __round__ method`);
  if (typeof value !== "number") return precision === null ? BigInt(value) : roundInteger(BigInt(value), precision);
  if (precision === null) return truncate(roundFloat(value, 0));
  return roundFloat(value, integerArgument(precision, "precision"));
}

/** Python's `round(x, n)`: the nearest decimal of the exact value, ties to even. */
function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value) || digits > 323) return value;
  if (digits < -308) return value < 0 ? -0 : 0;
  const [numerator, denominator] = exactFraction(Math.abs(value));
  const scale = 10n ** BigInt(Math.abs(digits));
  const [top, bottom] = digits >= 0 ? [numerator * scale, denominator] : [numerator, denominator * scale];
  const result = Number(`${divideToEven(top, bottom)}e${-digits}`);
  if (!Number.isFinite(result)) return fail("OverflowError", "rounded value too large to represent");
  return value < 0 || Object.is(value, -0) ? -result : result;
}

function roundInteger(value: bigint, precision: PyValue): bigint {
  if (typeof precision !== "bigint") return roundInteger(value, BigInt(integerArgument(precision, "precision")));
  if (precision >= 0n) return value;
  const magnitude = value < 0n ? -value : value;
  // No integer has so many digits: it rounds to zero.
  if (-precision > BigInt(MAX_INTEGER_BITS)) return 0n;
  spend(Number(-precision));
  const scale = 10n ** -precision;
  const rounded = divideToEven(magnitude, scale) * scale;
  return value < 0n ? -rounded : rounded;
}
