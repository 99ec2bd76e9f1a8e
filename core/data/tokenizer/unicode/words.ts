import { WORD } from "./categories.js";
import { CodePointSet } from "./code-point-set.js";

/** `\w` of Rust's regular expressions, which counts the two joiners as word characters as well. */
export const RUST_WORD = WORD.union(CodePointSet.of([0x200c, 0x200d]));

/** Whether the character that the UTF-16 unit at a place belongs to is of a word; false beyond the ends of the text. */
export function isWord(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false;
  const unit = text.charCodeAt(at);
  const isLow = unit >= 0xdc00 && unit < 0xe000;
  return RUST_WORD.has(text.codePointAt(isLow ? at - 1 : at) as number);
}
