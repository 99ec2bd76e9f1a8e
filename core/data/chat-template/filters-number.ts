import { asFloat, divideToEven, isNumber, MAX_INTEGER_BITS } from "./arithmetic.js";
import { fail } from "./errors.js";
import type { FilterTable } from "./filter.js";
import { exactFraction } from "./format-spec.js";
import { binary } from "./operators.js";
import { truncate } from "./percent-format.js";
import { strip } from "./string-methods.js";
import { integerArgument, MAX_INTEGER_DIGITS, str } from "./text.js";
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
  const integer = parseInteger(text, base === undefined ? 10 : integerArgument(base, "base"));
  if (integer !== null) return integer;
  const float = parseFloatText(text);
  return float !== null && Number.isFinite(float) ? truncate(float) : fallback;
}

/** Python's `int(text, base)`: blanks around, a sign, a prefix that fits the base, underscores between digits. */
function parseInteger(text: string, base: number): bigint | null {
  if (base !== 0 && (base < 2 || base > 36)) return fail("ValueError", "int() base must be >= 2 and <= 36, or 0");
  const match = /^([+-]?)(0[xob])?_?([0-9a-z]+(?:_[0-9a-z]+)*)$/i.exec(numberText(text));
  if (!match) return null;
  const [, sign, prefix = "", body] = match;
  const prefixBase = PREFIX_BASES[prefix.toLowerCase()];
  let digits = body;
  let radix = base;
  if (prefixBase !== undefined && (base === 0 || base === prefixBase)) radix = prefixBase;
  else digits = prefix + body;
  if (radix === 0) {
    if (/^0+[1-9]/.test(digits)) return null;
    radix = 10;
  }
  digits = digits.replaceAll("_", "");
  const bitsEach = Math.log2(radix);
  if (!Number.isInteger(bitsEach) && digits.length > MAX_INTEGER_DIGITS) return null;
  if (digits.length * bitsEach > MAX_INTEGER_BITS) return fail("OverflowError", "the integer is too large");
  let value = 0n;
  for (const digit of digits) {
    const worth = Number.parseInt(digit, 36);
    if (Number.isNaN(worth) || worth >= radix) return null;
    value = value * BigInt(radix) + BigInt(worth);
  }
  return sign === "-" ? -value : value;
}

/** The text of a number without blanks around it. */
function numberText(text: string): string {
  const trimmed = strip(text, undefined, "both");
  return trimmed.length <= MAX_NUMBER_TEXT
    ? trimmed
    : fail("OverflowError", `a number of more than ${MAX_NUMBER_TEXT} characters`);
}

const MAX_NUMBER_TEXT = 200_000;
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

function round(value: PyValue, [precision, method]: readonly (PyValue | undefined)[]): PyValue {
  const digits = precision === undefined ? 0 : integerArgument(precision, "precision");
  const how = method === undefined ? "common" : str(method);
  if (value instanceof Undefined) value.fail();
  if (!isNumber(value)) return fail("TypeError", `type ${typeName(value)} doesn't define __round__ method`);
  if (how === "common") {
    return typeof value === "number" ? roundFloat(value, digits) : roundInteger(BigInt(value), digits);
  }
  if (how !== "ceil" && how !== "floor") return fail("FilterArgumentError", "method must be common, ceil or floor");
  const scale = binary("**", 10n, BigInt(digits));
  const scaled = asFloat(binary("*", value, scale) as number | bigint);
  return binary("/", truncate(how === "ceil" ? Math.ceil(scaled) : Math.floor(scaled)), scale);
}

/** Python's `round(x, n)`: the nearest decimal of the exact value, ties to even. */
function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value) || digits > 323) return value;
  if (digits < -308) return value < 0 ? -0 : 0;
  const [numerator, denominator] = exactFraction(Math.abs(value));
  const scale = 10n ** BigInt(Math.abs(digits));
  const [top, bottom] = digits >= 0 ? [numerator * scale, denominator] : [numerator, denominator * scale];
  const rounded = divideToEven(top, bottom);
  const result = Number(`${rounded}e${-digits}`);
  return value < 0 || Object.is(value, -0) ? -result : result;
}

function roundInteger(value: bigint, digits: number): bigint {
  if (digits >= 0) return value;
  // No integer has so many digits: it rounds to zero.
  if (-digits > MAX_INTEGER_BITS) return 0n;
  spend(-digits);
  const scale = 10n ** BigInt(-digits);
  const magnitude = divideToEven(value < 0n ? -value : value, scale) * scale;
  return value < 0n ? -magnitude : magnitude;
}
