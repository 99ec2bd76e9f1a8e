import { strip, words } from "./python-text.js";

/**
 * verl's rules for question answering (Search-R1, Jin et al. 2025, arXiv:2503.09516): the last `<answer>…</answer>` must
 * equal one of the targets as SQuAD compares (Rajpurkar et al. 2016, arXiv:1606.05250): lower case, without ASCII
 * punctuation and articles. A right answer among more than ten tags is worth a quarter.
 */
export function qaScoreLikeVerl(
  solution: string,
  targets: string | readonly string[],
): { score: 0 | 0.25 | 1; pred: string | null } {
  const pred = lastAnswerTag(solution);
  if (pred === null) return { score: 0, pred };
  const normalised = normaliseLikeSquad(pred);
  const right = [targets].flat().some((target) => normaliseLikeSquad(target) === normalised);
  if (!right) return { score: 0, pred };
  const many = solution.split("<answer>").length > 11 || solution.split("</answer>").length > 11;
  return { score: many ? 0.25 : 1, pred };
}

/** Pairs of tags from the left, each with the nearest closing tag; the content of the last pair, or null. */
export function lastAnswerTag(text: string): string | null {
  let found: string | null = null;
  for (let at = 0; ; ) {
    const start = text.indexOf("<answer>", at);
    const end = start < 0 ? -1 : text.indexOf("</answer>", start + "<answer>".length);
    if (end < 0) return found === null ? null : strip(found);
    found = text.slice(start + "<answer>".length, end);
    at = end + "</answer>".length;
  }
}

const WORD = String.raw`[\p{L}\p{N}_]`;
const ARTICLE = new RegExp(`(?<!${WORD})(?:an|a|the)(?!${WORD})`, "gu");

export function normaliseLikeSquad(text: string): string {
  const bare = text.toLowerCase().replace(/[!-/:-@[-`{-~]/g, "");
  return words(bare.replace(ARTICLE, " ")).join(" ");
}
