import { divideToEven, isNumber } from "./arithmetic.js";
import { fail } from "./errors.js";
import { codePoints, floatText, integerText, length, repeatText, str } from "./text.js";
import { Markup, type PyValue, typeName, Undefined } from "./values.js";
import { spend } from "./work.js";

/** Parts of Python's format specification: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`. */
const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/su;
const MAX_WIDTH = 100_000;

/** Python's `format(value, spec)`. */
export function formatValue(value: PyValue, spec: string): string {
  if (spec === "") return str(value);
  if (value instanceof Undefined) return fail("TypeError", "unsupported format string passed to Undefined.__format__");
  const match = SPEC.exec(spec);
  const textual = typeof value === "string" || value instanceof Markup;
  if (!match || !(textual || isNumber(value))) {
    return fail("ValueError", `Invalid format specifier '${spec}' for object of type '${typeName(value)}'`);
  }
  const [, fill, align, sign, , alternate, zero, width, grouping, precision, type] = match;
  const size = limited(width, 0);
  const digits = precision === undefined ? null : limited(precision, 0);
  if (textual) {
    if ((type ?? "s") !== "s" || sign || align === "=") return fail("ValueError", `'${spec}' is no format for str`);
    const cut = digits === null ? str(value) : codePoints(str(value)).slice(0, digits).join("");
    return pad(cut, fill ?? (zero ? "0" : " "), align ?? "<", size);
  }
  const number = typeof value === "boolean" ? BigInt(value) : value;
  if (typeof number === "number" && type && "bcdoxX".includes(type)) {
    return fail("ValueError", `Unknown format code '${type}' for object of type 'float'`);
  }
  const body =
    typeof number === "bigint" && !(type && "eEfFgG%".includes(type))
      ? formatInteger(number, type ?? "d", Boolean(alternate), grouping)
      : formatFloat(Number(number), type ?? null, digits, Boolean(alternate), grouping);
  const signText = body.negative ? "-" : sign === "+" || sign === " " ? sign : "";
  const filler = fill ?? (zero ? "0" : " ");
  const alignment = align ?? (zero ? "=" : ">");
  const prefix = signText + body.prefix;
  if (alignment !== "=") return pad(prefix + body.digits, filler, alignment, size);
  if (grouping && filler === "0") return prefix + zeroGrouped(body.digits, grouping, size - prefix.length, type);
  return prefix + repeatText(filler, size - prefix.length - length(body.digits)) + body.digits;
}

/** Zeros in front count as digits of the groups: `{:09,d}` of 1234 is `0,001,234`. */
function zeroGrouped(text: string, separator: string, width: number, type: string | undefined): string {
  const [, whole, rest] = /^([0-9a-fA-F,_]*)(.*)$/s.exec(text) as RegExpExecArray;
  const size = type && "boxX".includes(type) ? 4 : 3;
  const room = Math.max(0, width - rest.length);
  const separators = Math.floor(room / (size + 1));
  // A separator does not come first: a digit goes before it.
  const wanted = room - separators + (separators > 0 && room % (size + 1) === 0 ? 1 : 0);
  return group(whole.replaceAll(separator, "").padStart(wanted, "0"), separator, size) + rest;
}

interface NumberText {
  readonly negative: boolean;
  readonly prefix: string;
  readonly digits: string;
}

export function formatInteger(value: bigint, type: string, alternate: boolean, grouping?: string): NumberText {
  const negative = value < 0n;
  const magnitude = negative ? -value : value;
  if (type === "c") {
    if (negative || magnitude > 0x10ffffn) return fail("OverflowError", "%c arg not in range(0x110000)");
    return { negative: false, prefix: "", digits: String.fromCodePoint(Number(magnitude)) };
  }
  const base = INTEGER_BASES[type];
  if (base === undefined) return fail("ValueError", `Unknown format code '${type}' for object of type 'int'`);
  const lower = base === 10 ? integerText(magnitude) : magnitude.toString(base);
  const digits = type === "X" ? lower.toUpperCase() : lower;
  const prefix = alternate && base !== 10 ? `0${type}` : "";
  return { negative, prefix, digits: grouping ? group(digits, grouping, base === 10 ? 3 : 4) : digits };
}

const INTEGER_BASES: Readonly<Record<string, number>> = { d: 10, n: 10, b: 2, o: 8, x: 16, X: 16 };

export function formatFloat(
  value: number,
  type: string | null,
  precision: number | null,
  alternate: boolean,
  grouping?: string,
): NumberText {
  const negative = value < 0 || Object.is(value, -0);
  const magnitude = Math.abs(value);
  const upper = type !== null && "EFG".includes(type);
  let digits: string;
  if (!Number.isFinite(value)) digits = Number.isNaN(value) ? "nan" : "inf";
  else if (type === null && precision === null) digits = floatText(magnitude);
  else digits = finiteDigits(magnitude, (type ?? "g").toLowerCase(), precision ?? 6, alternate, type === null);
  if (grouping) {
    const [, whole, rest] = /^(\d*)(.*)$/s.exec(digits) as RegExpExecArray;
    digits = group(whole, grouping, 3) + rest;
  }
  return { negative: negative && !Number.isNaN(value), prefix: "", digits: upper ? digits.toUpperCase() : digits };
}

function finiteDigits(value: number, type: string, precision: number, alternate: boolean, untyped: boolean): string {
  switch (type) {
    case "f":
      return fixed(value, precision) + (alternate && precision === 0 ? "." : "");
    case "%":
      return `${fixed(value * 100, precision)}${alternate && precision === 0 ? "." : ""}%`;
    case "e":
      return exponential(value, precision);
    default:
      return general(value, precision || 1, alternate, untyped);
  }
}

/** Exact decimal expansion, ties to even: what C's printf does. `toFixed` is exact but rounds ties up and stops at 1e21. */
export function fixed(value: number, precision: number): string {
  const digits = scaled(value, precision)
    .toString()
    .padStart(precision + 1, "0");
  return precision === 0 ? digits : `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
}

/** The integer nearest to value times 10^places. */
function scaled(value: number, places: number): bigint {
  spend(4 * Math.abs(places));
  const [numerator, denominator] = exactFraction(value);
  const scale = 10n ** BigInt(Math.abs(places));
  return places >= 0 ? divideToEven(numerator * scale, denominator) : divideToEven(numerator, denominator * scale);
}

/** A non-negative finite double as a fraction of integers. */
export function exactFraction(value: number): [bigint, bigint] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const mantissa = (word & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const shift = Math.max(exponent, 1) - 1075;
  return shift >= 0 ? [mantissa << BigInt(shift), 1n] : [mantissa, 1n << BigInt(-shift)];
}

function exponential(value: number, precision: number): string {
  if (value === 0) return `${precision > 0 ? `0.${"0".repeat(precision)}` : "0"}e+00`;
  // The exponent of the shortest text may be one too large, and rounding may raise it by one.
  let power = Number(value.toExponential().split("e")[1]);
  let digits = scaled(value, precision - power).toString();
  while (digits.length !== precision + 1) {
    power += digits.length - precision - 1;
    digits = scaled(value, precision - power).toString();
  }
  const mantissa = precision === 0 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** `untyped` is a precision without a type: as `g`, but a whole number keeps its ".0". */
function general(value: number, precision: number, alternate: boolean, untyped: boolean): string {
  const scientific = exponential(value, precision - 1);
  const exponent = value === 0 ? 0 : Number(scientific.slice(scientific.indexOf("e") + 1));
  const limit = untyped ? precision - 1 : precision;
  if (exponent < -4 || exponent >= Math.max(limit, untyped ? 1 : limit)) {
    if (alternate) return scientific;
    const [mantissa, power] = scientific.split("e");
    return `${trimZeros(mantissa)}e${power}`;
  }
  const text = fixed(value, Math.max(0, precision - 1 - exponent));
  const trimmed = alternate ? text : trimZeros(text);
  return untyped && !trimmed.includes(".") ? `${trimmed}.0` : trimmed;
}

function trimZeros(text: string): string {
  if (!text.includes(".")) return text;
  let end = text.length;
  while (text[end - 1] === "0") end--;
  return text.slice(0, text[end - 1] === "." ? end - 1 : end);
}

/** Digits in groups from the right. */
function group(digits: string, separator: string, size: number): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size) groups.unshift(digits.slice(Math.max(0, end - size), end));
  return groups.join(separator);
}

export function pad(text: string, fill: string, align: string, width: number): string {
  const space = Math.max(0, width - length(text));
  if (align === "<") return text + repeatText(fill, space);
  if (align === "^") return repeatText(fill, Math.floor(space / 2)) + text + repeatText(fill, Math.ceil(space / 2));
  return repeatText(fill, space) + text;
}

/** Widths come from the template, which is not trusted. */
export function limited(digits: string | undefined, fallback: number): number {
  const value = digits === undefined || digits === "" ? fallback : Number(digits);
  return value > MAX_WIDTH ? fail("ValueError", `a width of ${digits} is too large`) : value;
}
