import { TemplateFailure } from "./errors.js";
import type { Token } from "./lexer.js";
import { codeEscape, MAX_INTEGER_DIGITS } from "./text.js";
import { asciiDigits } from "./unicode.js";

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([xuUN])|(\n)|(.))/gsu;

const SIMPLE: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The value of a quoted string, with Python's escapes; an unknown escape keeps its backslash. Names of characters (`\N{...}`) are not known. */
export function readString({ text, line }: Token): string {
  return text.slice(1, -1).replace(ESCAPE, (whole, octal, x, u, U, broken, newline, other) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const hex = x ?? u ?? U;
    if (hex !== undefined) {
      const code = Number.parseInt(hex, 16);
      if (code <= 0x10ffff) return String.fromCodePoint(code);
    }
    if (hex !== undefined || broken !== undefined) {
      throw new TemplateFailure("TemplateSyntaxError", `invalid escape ${whole} in a string`, line);
    }
    if (newline !== undefined) return "";
    // Jinja first writes characters beyond ASCII as escapes; a backslash before one then escapes the backslash of that.
    return SIMPLE[other] ?? (other <= "\x7f" ? whole : codeEscape(other));
  });
}

export function readInteger({ text, line }: Token): bigint {
  const digits = asciiDigits(text.replaceAll("_", "").toLowerCase());
  // Python has no limit for the other bases; a template gets the same one.
  if (digits.length <= MAX_INTEGER_DIGITS) return BigInt(digits);
  throw new TemplateFailure("TemplateSyntaxError", "the integer has too many digits", line);
}

export function readFloat({ text, line }: Token): number {
  // Python reads integers in any script, but floats only in this one.
  const value = Number(text.replaceAll("_", ""));
  if (Number.isNaN(value)) throw new TemplateFailure("TemplateSyntaxError", "invalid float", line);
  return value;
}
