import { fail } from "./errors.js";
import { isPrintable } from "./unicode.js";
import {
  DictView,
  Markup,
  Namespace,
  PyDict,
  type PyObject,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";
import { enter, leave, spend, spendText } from "./work.js";

/** Python's `str(value)`. */
export function str(value: PyValue): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return "";
  return repr(value);
}

/** Python's `repr(value)`. `inside` are the dicts whose text this is part of: one inside itself is cut short. */
export function repr(value: PyValue, inside: readonly PyDict[] = []): string {
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
  }
  enter(2);
  const text = Array.isArray(value) ? `[${reprItems(value, inside)}]` : reprObject(value, inside);
  leave(2);
  return text;
}

function reprItems(items: Iterable<PyValue>, inside: readonly PyDict[]): string {
  const texts = Array.from(items, (item) => {
    spend(1);
    return repr(item, inside);
  });
  return joinTexts(texts, ", ");
}

/** Python refuses to read and print longer integers. */
export const MAX_INTEGER_DIGITS = 4300;
const MAX_INTEGER_BITS = Math.ceil(MAX_INTEGER_DIGITS * Math.log2(10)) + 1;

export function integerText(value: bigint): string {
  // The text costs time that grows with the square of its length.
  if (BigInt.asIntN(MAX_INTEGER_BITS, value) === value) {
    const text = value.toString();
    if (text.length - (value < 0n ? 1 : 0) <= MAX_INTEGER_DIGITS) return text;
  }
  return fail("ValueError", `exceeds the limit (${MAX_INTEGER_DIGITS} digits) for integer string conversion`);
}

function reprObject(value: PyObject, inside: readonly PyDict[]): string {
  if (value instanceof PyTuple) {
    const items = reprItems(value.items, inside);
    return value.items.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (value instanceof PyDict) {
    if (inside.includes(value)) return "{...}";
    spend(value.len());
    const within = [...inside, value];
    const entries = Array.from(value.entries(), ([key, item]) => `${repr(key, within)}: ${repr(item, within)}`);
    return `{${joinTexts(entries, ", ")}}`;
  }
  if (value instanceof DictView) return `${value.typeName}([${reprItems(value, inside)}])`;
  if (value instanceof Markup) return `Markup(${quote(value.text)})`;
  if (value instanceof Namespace) return `<Namespace ${repr(value.values, inside)}>`;
  return value.repr();
}

/** Python's `ascii(value)`: `repr` with everything beyond ASCII escaped. */
export function ascii(value: PyValue): string {
  const text = repr(value);
  spendText(text.length);
  return text.replace(/[^\0-\x7f]/gu, codeEscape);
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
  spendText(text.length);
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

/** Python's escape of a character: `\xe9`, `\u4e16`, `\U0001f642`. */
export function codeEscape(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Unicode code points of a text: Python counts, cuts and indexes by them. */
export function codePoints(text: string): string[] {
  spend(text.length);
  return Array.from(text);
}

export function length(text: string): number {
  spend(text.length >> 2);
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
const SPACE = new RegExp(`[${WHITE_SPACE}]`);

/** `text.repeat(times)`; a negative number of times is none. */
export function repeatText(text: string, times: number): string {
  const count = text === "" ? 0 : Math.max(0, times);
  spendText(text.length * count);
  return text.repeat(count);
}

export function joinTexts(texts: readonly string[], glue: string): string {
  spendText(texts.reduce((sum, text) => sum + text.length, glue.length * Math.max(0, texts.length - 1)));
  return texts.join(glue);
}

/** Pay for reading a text, and for the text or list that comes of it. */
export function paidByText(text: string, body: () => PyValue): PyValue {
  spend(text.length);
  const result = body();
  if (typeof result === "string" || Array.isArray(result)) spend(result.length);
  return result;
}

/** Without white space at its end. A pattern would begin anew at every blank inside. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && SPACE.test(text[end - 1])) end--;
  return text.slice(0, end);
}

/** The text of a string argument, or Python's complaint. */
export function textArgument(value: PyValue | undefined, what: string): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  return fail("TypeError", `${what} must be str, not ${value === undefined ? "missing" : typeName(value)}`);
}

/** An integer argument as a JavaScript number. */
export function integerArgument(value: PyValue | undefined, what: string): number {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "bigint") {
    return fail("TypeError", `${what} must be int, not ${value === undefined ? "missing" : typeName(value)}`);
  }
  return value === BigInt.asIntN(64, value) ? Number(value) : fail("OverflowError", `${what} is too large`);
}

const MAX_INDEX = BigInt(Number.MAX_SAFE_INTEGER);

/** An integer that points into a text or list: beyond any length it makes no difference how far. */
export function indexArgument(value: PyValue): number {
  if (typeof value !== "bigint") return integerArgument(value, "index");
  return Number(value > MAX_INDEX ? MAX_INDEX : value < -MAX_INDEX ? -MAX_INDEX : value);
}
