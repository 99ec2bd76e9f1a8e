import type { Answer } from "./answer.js";
import { equalAnswers } from "./equal-answers.js";
import { rationalValue } from "./equal-values.js";
import { lex } from "./lexer.js";
import { parseAnswer } from "./parse-answer.js";
import { isProse, plainText, samePlainText } from "./plain-text.js";
import { toText } from "./rational.js";
import { OutOfSteps, Steps } from "./steps.js";
import { Unreadable } from "./tokens.js";

/** Longer answers are compared as text alone. */
const LONGEST = 1000;

export interface GradeOptions {
  /** Relative tolerance for real numbers; 0, the default, compares exactly. */
  readonly tolerance?: number;
  /** Whether `2 + 3` may stand for 5; not by default, for it repeats the question. */
  readonly unevaluated?: boolean;
}

/** An answer, read. */
export interface Reading {
  readonly text: string;
  /** More than one where commas may group digits or separate numbers; none where it is no mathematics. */
  readonly answers: readonly Answer[];
}

/** A gold answer, or null where it says nothing that could be compared: then no answer can be judged. */
export function readGold(text: string): Reading | null {
  const reading = read(text);
  if (plainText(text) === "") return null;
  return reading.answers.length > 0 || isProse(text) ? reading : null;
}

/** Whether an answer says what the gold answer says. Never throws, and does a bounded amount of work. */
export function isRight(gold: Reading, text: string, options: GradeOptions = {}): boolean {
  const asText = gold.answers.every(({ kind }) => kind === "text");
  if (samePlainText(gold.text, text, asText)) return true;
  const { tolerance = 0, unevaluated = false } = options;
  return (
    bounded(() => {
      const steps = new Steps();
      const given = read(text).answers;
      return gold.answers.some((a) => given.some((b) => equalAnswers(a, b, { steps, tolerance, unevaluated })));
    }) ?? false
  );
}

/** One text for equal numbers (`1/2` for `0.5` and `\frac12`), so that votes can be counted; other answers as they stand. */
export function canonical(text: string): string {
  const [answer] = read(text).answers;
  const last = answer?.kind === "relation" ? answer.sides[answer.sides.length - 1] : answer;
  if (last?.kind !== "value") return text.trim();
  const value = bounded(() => rationalValue(last.expression, new Steps()));
  return value ? toText(value) : text.trim();
}

function read(text: string): Reading {
  if (text.length > LONGEST) return { text, answers: [] };
  const ambiguous = /\d,\d{3}/.test(text);
  const answers = (ambiguous ? [true, false] : [true]).flatMap(
    (thousands) => bounded(() => parseAnswer(lex(text, { thousands }), new Steps())) ?? [],
  );
  return { text, answers };
}

/** Null where the work is no mathematics, or too much. */
function bounded<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unreadable || error instanceof OutOfSteps) return null;
    throw error;
  }
}
