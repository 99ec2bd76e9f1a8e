import type { PatternReader } from "./pattern-reader.js";
import { PatternError } from "./unsupported.js";

const CONTROLS: Readonly<Record<string, string>> = {
  t: "\t",
  v: "\v",
  n: "\n",
  r: "\r",
  f: "\f",
  a: "\x07",
  e: "\x1b",
};

/** One character that is written as an escape; the reader stands at the backslash. */
export function readCodePoint(reader: PatternReader): string {
  const hex = reader.takeMatch(/\\(?:x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4}))/y);
  if (hex) return fromCode(Number.parseInt(hex[1] ?? hex[2] ?? hex[3], 16), hex[0]);
  const octal = reader.takeMatch(/\\(?:o\{([0-7]+)\}|(0[0-7]{0,2}|[1-7][0-7]{1,2}))/y);
  if (octal) return fromCode(Number.parseInt(octal[1] ?? octal[2], 8), octal[0]);
  const control = reader.takeMatch(/\\c([@-_a-z?])/y);
  if (control) return String.fromCharCode(control[1] === "?" ? 0x7f : control[1].charCodeAt(0) & 0x1f);
  reader.take("\\");
  if (reader.done) throw new PatternError("the pattern ends in a backslash");
  const character = reader.next();
  return CONTROLS[character] ?? character;
}

function fromCode(code: number, text: string): string {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    throw new PatternError(`"${text}" is no character`);
  }
  return String.fromCodePoint(code);
}
