import { printable } from "../inspect/terminal-text.js";

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const INVISIBLE = /\p{M}|\u200b|\u200c|\u200d|\ufe0f/u;

/** Columns that a terminal gives to a text without control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** At most `width` columns of a text in one line, filled up to them where `pad` is set. */
export function fitText(text: string, width: number, pad = false): string {
  if (width <= 0) return "";
  const line = printable(text).replace(/\s+/g, " ");
  let [kept, used] = ["", 0];
  for (const char of line) {
    const next = charWidth(char);
    if (used + next > width) {
      // The last column tells that there is more.
      while (used > width - 1) {
        const last = [...kept].at(-1) as string;
        kept = kept.slice(0, -last.length);
        used -= charWidth(last);
      }
      kept += "…";
      used++;
      break;
    }
    kept += char;
    used += next;
  }
  return pad ? kept + " ".repeat(Math.max(0, width - used)) : kept;
}

/** The first `width` columns of a line whose spaces stay. */
export function cutText(line: string, width: number): string {
  let [kept, used] = ["", 0];
  for (const char of line) {
    used += charWidth(char);
    if (used > width) break;
    kept += char;
  }
  return kept;
}

const charWidth = (char: string): number => (INVISIBLE.test(char) ? 0 : WIDE.test(char) ? 2 : 1);
