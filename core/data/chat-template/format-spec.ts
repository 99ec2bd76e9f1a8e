import { asFloat, isNumber } from "./arithmetic.js";
import { fail } from "./errors.js";
import { exponential, fixed, general } from "./float-digits.js";
import { codePoints, floatText, integerText, length, repeatText, str } from "./text.js";
import { Markup, type PyValue, typeName, Undefined } from "./values.js";

/** Python's format specification: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`. */
const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?(.)?$/su;
const MAX_WIDTH = 100_000;

interface Spec {
  readonly fill: string;
  readonly align: string | undefined;
  readonly sign: string;
  /** A negative number that rounds to zero has no sign. */
  readonly positiveZero: boolean;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | null;
  readonly type: string;
}

/** Python's `format(value, spec)`. */
export function formatValue(value: PyValue, text: string): string {
  if (text === "") return str(value);
  if (typeof value === "string" || value instanceof Markup) return formatText(str(value), parseSpec(text, "s", "<"));
  if (value instanceof Undefined || !isNumber(value)) {
    return fail("TypeError", `unsupported format string passed to ${typeName(value)}.__format__`);
  }
  if (typeof value === "number") return formatFloat(value, parseSpec(text, "", ">"));
  const spec = parseSpec(text, "d", ">");
  return "eEfFgG%".includes(spec.type) ? formatFloat(asFloat(value), spec) : formatInteger(BigInt(value), spec);
}

function parseSpec(text: string, defaultType: string, defaultAlign: string): Spec {
  const match = SPEC.exec(text) ?? fail("ValueError", `Invalid format specifier '${text}'`);
  const [, fill, align, sign = "", z, alternate, zero, width, grouping = "", precision, type = defaultType] = match;
  if (grouping && !(type === "" || "defgEG%F".includes(type) || (grouping === "_" && "boxX".includes(type)))) {
    return fail("ValueError", `Cannot specify '${grouping}' with '${type}'.`);
  }
  const padsWithZeros = zero !== undefined && fill === undefined;
  return {
    fill: fill ?? (padsWithZeros ? "0" : " "),
    align: align ?? (padsWithZeros && defaultAlign === ">" ? "=" : undefined),
    sign,
    positiveZero: z !== undefined,
    alternate: alternate !== undefined,
    width: limited(width, 0),
    grouping,
    precision: precision === undefined ? null : limited(precision, 0),
    type,
  };
}

function formatText(text: string, spec: Spec): string {
  const { sign, positiveZero, alternate, align = "<", precision, type } = spec;
  if (type !== "s" || sign || positiveZero || alternate || align === "=") {
    return fail("ValueError", "the format specifier does not fit a text");
  }
  return pad(precision === null ? text : codePoints(text).slice(0, precision).join(""), spec.fill, align, spec.width);
}

function formatInteger(value: bigint, spec: Spec): string {
  const { type, sign, alternate, grouping } = spec;
  if (spec.precision !== null) return fail("ValueError", "Precision not allowed in integer format specifier");
  if (spec.positiveZero) return fail("ValueError", "'z' not allowed in integer format specifier");
  if (type === "c") {
    if (sign || alternate) return fail("ValueError", "Sign and '#' are not allowed with integer format specifier 'c'");
    return pad(characterOf(value), spec.fill, spec.align === "=" ? ">" : (spec.align ?? ">"), spec.width);
  }
  const { prefix, digits } = integerDigits(value, type, alternate);
  return assemble(signOf(value < 0n, sign) + prefix, digits, "", { ...spec, grouping });
}

function formatFloat(value: number, spec: Spec): string {
  const { type, precision, alternate } = spec;
  if (!"eEfFgGn%".includes(type)) return fail("ValueError", `Unknown format code '${type}' for object of type 'float'`);
  const text = floatDigits(value, type === "n" ? "g" : type, precision, alternate);
  const isZero = !/[1-9a-z]/i.test(text.split(/e/i)[0]);
  const negative = isNegative(value) && !(spec.positiveZero && isZero);
  const [, digits, rest] = /^(\d*)(.*)$/s.exec(text) as RegExpExecArray;
  return assemble(signOf(negative, spec.sign), digits, rest, spec);
}

/** Sign, digits in groups, and what follows them, filled up to the width. */
function assemble(
  prefix: string,
  digits: string,
  rest: string,
  { fill, align = ">", width, grouping, type }: Spec,
): string {
  const size = type !== "" && "boxX".includes(type) ? 4 : 3;
  const fillsWithDigits = grouping !== "" && fill === "0" && align === "=";
  const wanted = fillsWithDigits ? digitsIn(width - length(prefix) - length(rest), size) : 0;
  const body = group(digits.padStart(wanted, "0"), grouping, size) + rest;
  if (align !== "=") return pad(prefix + body, fill, align, width);
  return prefix + repeatText(fill, width - length(prefix) - length(body)) + body;
}

/** How many digits, in groups with separators, fill a width: `{:09,d}` of 1234 is `0,001,234`. */
function digitsIn(width: number, size: number): number {
  const room = Math.max(0, width);
  const separators = Math.floor(room / (size + 1));
  // A separator does not come first: a digit goes before it.
  return room - separators + (separators > 0 && room % (size + 1) === 0 ? 1 : 0);
}

/** Digits in groups from the right. */
function group(digits: string, separator: string, size: number): string {
  if (separator === "") return digits;
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size) groups.unshift(digits.slice(Math.max(0, end - size), end));
  return groups.join(separator);
}

export function characterOf(code: bigint): string {
  if (code < 0n || code > 0x10ffffn) return fail("OverflowError", "%c arg not in range(0x110000)");
  return String.fromCodePoint(Number(code));
}

export function signOf(negative: boolean, sign: string): string {
  return negative ? "-" : sign === "-" ? "" : sign;
}

export function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

const INTEGER_BASES: Readonly<Record<string, number>> = { d: 10, n: 10, b: 2, o: 8, x: 16, X: 16 };

/** Digits of the magnitude, and the prefix that `#` asks for. */
export function integerDigits(value: bigint, type: string, alternate: boolean): { prefix: string; digits: string } {
  const base = INTEGER_BASES[type];
  if (base === undefined) return fail("ValueError", `Unknown format code '${type}' for object of type 'int'`);
  const magnitude = value < 0n ? -value : value;
  const digits = base === 10 ? integerText(magnitude) : magnitude.toString(base);
  return { prefix: alternate && base !== 10 ? `0${type}` : "", digits: type === "X" ? digits.toUpperCase() : digits };
}

/** Digits of the magnitude; no type is Python's shortest text, or `g` with a point if there is a precision. */
export function floatDigits(value: number, type: string, precision: number | null, alternate: boolean): string {
  const magnitude = Math.abs(value);
  if (!Number.isFinite(type === "%" ? magnitude * 100 : magnitude)) {
    const text = Number.isNaN(value) ? "nan" : "inf";
    return type === "%" ? `${text}%` : type !== "" && "EFG".includes(type) ? text.toUpperCase() : text;
  }
  switch (type) {
    case "":
      return precision === null ? shortest(magnitude, alternate) : general(magnitude, precision, alternate, true);
    case "f":
    case "F":
      return fixed(magnitude, precision ?? 6, alternate);
    case "%":
      return `${fixed(magnitude * 100, precision ?? 6, alternate)}%`;
    case "e":
      return exponential(magnitude, precision ?? 6, alternate);
    case "E":
      return exponential(magnitude, precision ?? 6, alternate).toUpperCase();
    case "g":
      return general(magnitude, precision ?? 6, alternate);
    default:
      return general(magnitude, precision ?? 6, alternate).toUpperCase();
  }
}

function shortest(magnitude: number, alternate: boolean): string {
  const text = floatText(magnitude);
  return alternate ? text.replace(/^(\d+)e/, "$1.e") : text;
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
