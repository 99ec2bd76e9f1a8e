import { isDigits, PYTHON_SPACE, strip, tail } from "./python-text.js";
import { bracedAt } from "./verl-math.js";

export interface DapoVerdict {
  readonly score: 1 | -1;
  readonly acc: boolean;
  readonly pred: string | null;
}

/** What `pred` says when there is no answer. */
const INVALID = "[INVALID]";

const ANSWER_LINE = new RegExp(`Answer[${PYTHON_SPACE}]*:[${PYTHON_SPACE}]*([^\\n]+)`, "giu");

/**
 * verl's rules for DAPO (Yu et al. 2025, arXiv:2503.14476): within the last 300 characters the last line `Answer: …`,
 * normalised as for Minerva (Lewkowycz et al. 2022, arXiv:2206.14858), counts; without one, the last `\boxed{…}` within the
 * last 100 characters, taken literally. `strictBox`: the box only.
 */
export function dapoScoreLikeVerl(solution: string, groundTruth: string, strictBox = false): DapoVerdict {
  const text = tail(solution, 300);
  const boxed = lastBoxed(tail(text, 100));
  if (strictBox) return verdict(boxed === groundTruth, boxed);
  const answer = [...text.matchAll(ANSWER_LINE)].at(-1)?.[1] ?? INVALID;
  const pred = normaliseLikeMinerva(answer);
  if (pred === INVALID && boxed !== null) return verdict(boxed === groundTruth, boxed);
  return verdict(pred === normaliseLikeMinerva(groundTruth), pred);
}

const verdict = (acc: boolean, pred: string | null): DapoVerdict => ({ score: acc ? 1 : -1, acc, pred });

function lastBoxed(text: string): string | null {
  const start = text.lastIndexOf("\\boxed{");
  return start < 0 ? null : bracedAt(text, start, "\\boxed{");
}

/** In this order, everywhere in the text, inside words as well. */
const REPLACED: readonly (readonly [string, string])[] = [
  ["an ", ""],
  ["a ", ""],
  [".$", "$"],
  ["\\$", ""],
  ["\\ ", ""],
  [" ", ""],
  ["mbox", "text"],
  [",\\text{and}", ","],
  ["\\text{and}", ","],
  ["\\text{m}", "\\text{}"],
];

const REMOVED: readonly string[] = [
  ..."square ways integers dollars mph inches hours km units \\ldots sue points feet minutes digits cents".split(" "),
  ..."degrees cm gm pounds meters meals edges students childrentickets multiples".split(" "),
  ..."\\text{s}|\\text{.}|\\text{\ns}|\\text{}^2|\\text{}^3|\\text{\n}|\\text{}|\\mathrm{th}".split("|"),
  ...'^\\circ ^{\\circ} \\; ,\\! {,} " \\dots'.split(" "),
];

function normaliseLikeMinerva(answer: string): string {
  let s = answer.slice(answer.lastIndexOf("=") + 1);
  for (const [before, after] of REPLACED) s = s.replaceAll(before, after);
  for (const removed of REMOVED) s = s.replaceAll(removed, "");
  s = s
    .replace(/[^\n]*?\$([^\n]*?)\$[^\n]*/g, (_, inside: string) => `$${inside}$`)
    .replace(/\\text\{([^\n]*?)\}/g, "$1")
    .replace(/\\textbf\{([^\n]*?)\}/g, "$1")
    .replace(/\\overline\{([^\n]*?)\}/g, "$1")
    .replace(/\\boxed\{([^\n]*)\}/g, "$1")
    .replace(/frac([^{])([^\n])/gu, "frac{$1}{$2}")
    .replace(/sqrt([^{])/gu, "sqrt{$1}")
    .replaceAll("$", "");
  const digits = s.replaceAll(",", "");
  return strip(isDigits(digits) ? digits : s);
}
