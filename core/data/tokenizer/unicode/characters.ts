import { CodePointSet } from "./code-point-set.js";
import * as tables from "./tables.js";

const decode = CodePointSet.decode;

/** White space, for regular expressions and `char::is_whitespace` alike. */
export const WHITE_SPACE = decode(tables.WHITE_SPACE);
/** `char::is_numeric`. */
export const NUMERIC = decode(tables.NUMERIC);
/** Punctuation of the pre-tokenizers: Unicode's of 2016, and all that is punctuation or symbol in ASCII. */
export const PUNCTUATION = decode(tables.PUNCTUATION);
/** Control, format and private-use characters, U+0000 and U+FFFD, which BERT's cleaning removes. */
export const BERT_REMOVED = decode(tables.BERT_REMOVED);
/** Non-spacing marks, which BERT's accent stripping removes after NFD. */
export const NONSPACING = decode(tables.NONSPACING);
/** All combining marks, which StripAccents removes. */
export const COMBINING = decode(tables.COMBINING);

/** Run `replace` over the characters of a text that are in a set. */
export function replaceIn(set: CodePointSet, text: string, replacement: string): string {
  let out = "";
  let from = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) as number;
    const next = i + (code > 0xffff ? 2 : 1);
    if (set.has(code)) {
      out += text.slice(from, i) + replacement;
      from = next;
    }
    i = next;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** Where the white space ends that starts at a place. */
export function spaceEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && WHITE_SPACE.has(text.charCodeAt(at))) at++;
  return at;
}

/** Where the white space begins that ends at a place. */
export function spaceStart(text: string, end: number): number {
  let at = end;
  while (at > 0 && WHITE_SPACE.has(text.charCodeAt(at - 1))) at--;
  return at;
}
