import type { JsonValue } from "../types.js";

/** Deeper than any file in use, and shallow enough for code that walks what was read, such as `JSON.stringify`. */
export const MAX_JSON_DEPTH = 500;

/**
 * `JSON.parse` for text from outside: a byte order mark in front is skipped, and what lies inside itself more than
 * {@link MAX_JSON_DEPTH} times is refused. Throws a SyntaxError; the caller knows the place.
 */
export function parseOutsideJson(text: string): JsonValue {
  if (isTooDeep(text)) throw new SyntaxError(`nested more than ${MAX_JSON_DEPTH} deep`);
  return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside of strings; what is not JSON is left to the parser. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfJsonString(text, at) - 1;
    else if (code === 0x5b || code === 0x7b) {
      // [ or {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** The place after a string that begins at `start` with its quote; the end of the text if it does not end. */
export function endOfJsonString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
  return at + 1;
}
