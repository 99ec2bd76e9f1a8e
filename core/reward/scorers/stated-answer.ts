import { boxedAnswer } from "./boxed.js";

const LINE = /answer[*_]*\s*:/giu;
const PHRASE = /answer\s+is\b[ \t]*:?/giu;

/** What follows the last `Answer:`, up to the end of its line; an empty line is skipped. Null without one. */
export function answerLine(text: string): string | null {
  const match = [...text.matchAll(LINE)].at(-1);
  return match ? cleaned(firstLine(text.slice(match.index + match[0].length))) : null;
}

/** The answer that a text states last, in a line `Answer: …` or a sentence `the answer is …`. */
export function statedAnswer(text: string): string | null {
  const line = [...text.matchAll(LINE)].at(-1);
  const phrase = [...text.matchAll(PHRASE)].at(-1);
  if (!phrase || (line && line.index > phrase.index)) return answerLine(text);
  const rest = firstLine(text.slice(phrase.index + phrase[0].length));
  return cleaned(rest.split(/\.(?:\s|$)/, 1)[0]);
}

function firstLine(text: string): string {
  // Emphasis may close behind the colon: `**Answer:** 5`.
  const start = text.search(/[^\s*]/);
  return start < 0 ? "" : text.slice(start).split("\n", 1)[0];
}

function cleaned(answer: string): string {
  const boxed = boxedAnswer(answer);
  if (boxed !== null) return boxed;
  let end = answer.length;
  while (end > 0 && /[\s*_]/.test(answer[end - 1])) end--;
  return answer.slice(0, end);
}
