import { fail } from "./errors.js";
import {
  DictView,
  Markup,
  Namespace,
  PyDict,
  PyFunction,
  type PyObject,
  PyRange,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";

/** Python's `str(value)`. */
export function str(value: PyValue): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return "";
  return repr(value);
}

/** Python's `repr(value)`. */
export function repr(value: PyValue): string {
  if (value === null) return "None";
  switch (typeof value) {
    case "boolean":
      return value ? "True" : "False";
    case "bigint":
      return integerText(value);
    case "number":
      return floatText(value);
    case "string":
      return quote(value);
    default:
      return Array.isArray(value) ? `[${value.map(repr).join(", ")}]` : reprObject(value);
  }
}

/** Python refuses to print longer integers. */
const MAX_INTEGER_DIGITS = 4300;

export function integerText(value: bigint): string {
  const text = value.toString();
  if (text.length - (value < 0n ? 1 : 0) <= MAX_INTEGER_DIGITS) return text;
  return fail("ValueError", `exceeds the limit (${MAX_INTEGER_DIGITS} digits) for integer string conversion`);
}

function reprObject(value: PyObject): string {
  if (value instanceof PyTuple) {
    return value.items.length === 1 ? `(${repr(value.items[0])},)` : `(${value.items.map(repr).join(", ")})`;
  }
  if (value instanceof PyDict) {
    return `{${[...value.entries()].map(([key, item]) => `${repr(key)}: ${repr(item)}`).join(", ")}}`;
  }
  if (value instanceof DictView) return `${value.typeName}(${repr([...value])})`;
  if (value instanceof PyRange) {
    const bounds = `${value.start}, ${value.stop}`;
    return value.step === 1n ? `range(${bounds})` : `range(${bounds}, ${value.step})`;
  }
  if (value instanceof Markup) return `Markup(${quote(value.text)})`;
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Namespace) return `<Namespace ${repr(PyDict.of(value.values))}>`;
  if (value instanceof PyFunction) return `<function ${value.name}>`;
  return `<${value.typeName} object>`;
}

/** Python's shortest text of a float; exponents from 1e16 and below 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa, exponentText] = Math.abs(value).toExponential().split("e");
  const exponent = Number(exponentText);
  const digits = mantissa.replace(".", "");
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/** Single quotes unless the text has some and no double ones; what does not print is escaped. */
function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = mark;
  for (const character of text) {
    if (character === mark || character === "\\") out += `\\${character}`;
    else out += ESCAPES.get(character) ?? (isPrintable(character) ? character : codeEscape(character));
  }
  return out + mark;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function isPrintable(character: string): boolean {
  return character === " " || !/^[\p{C}\p{Z}]$/u.test(character);
}

function codeEscape(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Unicode code points of a text: Python counts, cuts and indexes by them. */
export function codePoints(text: string): string[] {
  return Array.from(text);
}

export function length(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    const high = text.charCodeAt(i);
    if (high < 0xd800 || high > 0xdbff) continue;
    const low = text.charCodeAt(i + 1);
    if (low >= 0xdc00 && low <= 0xdfff) {
      count--;
      i++;
    }
  }
  return count;
}

/** What Python's `str.isspace` and `str.strip` call white space; JavaScript's set differs at both ends. */
export const WHITE_SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** The text of a string argument, or Python's complaint. */
export function textArgument(value: PyValue | undefined, what: string): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  return fail("TypeError", `${what} must be str, not ${value === undefined ? "missing" : typeName(value)}`);
}

/** An integer argument as a JavaScript number. */
export function integerArgument(value: PyValue | undefined, what: string): number {
  if (typeof value === "bigint") return Number(BigInt.asIntN(64, value));
  if (typeof value === "boolean") return value ? 1 : 0;
  return fail("TypeError", `${what} must be int, not ${value === undefined ? "missing" : typeName(value)}`);
}
