/** At most so many boxes side by side count as one answer. */
const MOST_BOXES = 20;
const CONNECTOR = /^(?:[,;]|[,;]?(?:and|or))$/;
/** What may stand around a connector without meaning anything. */
const NOISE = /[\s${}]|\\(?:text|mbox|quad|qquad|[()[\],; ])/g;
const LONGEST_CONNECTOR = 40;

/**
 * The content of the last `\boxed{…}` (or `\fbox{…}`, `\boxed 7`), or null: also where it is not closed, for then the answer
 * was cut off. Boxes with nothing but a comma, `and` or `or` between them are the parts of one answer.
 */
export function boxedAnswer(text: string): string | null {
  let box = lastBox(text, text.length);
  if (!box) return null;
  const parts = [box.content];
  while (parts.length < MOST_BOXES) {
    const before = lastBox(text, box.start);
    const gap = before ? text.slice(before.end, box.start) : "";
    if (!before || gap.length > LONGEST_CONNECTOR || !CONNECTOR.test(gap.replace(NOISE, ""))) break;
    parts.unshift(before.content);
    box = before;
  }
  return parts.join(", ");
}

interface Box {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

/** The last box that starts before `limit`; null when it does not end before it. */
function lastBox(text: string, limit: number): Box | null {
  if (limit === 0) return null;
  const start = Math.max(text.lastIndexOf("\\boxed", limit - 1), text.lastIndexOf("\\fbox", limit - 1));
  if (start < 0) return null;
  let at = start + (text.startsWith("\\fbox", start) ? "\\fbox" : "\\boxed").length;
  while (at < limit && text[at] === " ") at++;
  if (text[at] !== "{") return bareBox(text, start, at, limit);
  let depth = 0;
  for (let i = at; i < limit; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return { content: text.slice(at + 1, i), start, end: i + 1 };
  }
  return null;
}

/** `\boxed 7`: up to the dollar sign or the end of the line. */
function bareBox(text: string, start: number, at: number, limit: number): Box | null {
  let end = at;
  while (end < limit && text[end] !== "$" && text[end] !== "\n") end++;
  const content = text.slice(at, end).trim();
  return content === "" ? null : { content, start, end };
}
