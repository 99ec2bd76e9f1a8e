import { TemplateFailure } from "./errors.js";
import type { Token } from "./lexer.js";

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([xuUN])|(\n)|(.))/gs;

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

/** The value of a quoted string, with Python's escapes; an unknown escape keeps its backslash. */
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
    return SIMPLE[other] ?? whole;
  });
}

/** Python refuses longer literals in base ten, whose conversion takes quadratic time; the other bases get about the same size. */
const MAX_DIGITS = 4300;

/** The value of an integer as written, underscores and base included. */
export function readInteger({ text, line }: Token): bigint {
  const digits = text.replaceAll("_", "").toLowerCase();
  if (digits.length > MAX_DIGITS) {
    throw new TemplateFailure("TemplateSyntaxError", `an integer of more than ${MAX_DIGITS} digits`, line);
  }
  return BigInt(digits);
}
