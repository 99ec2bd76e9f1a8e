import type { JsonValue } from "../../host/types.js";
import type { Scorer } from "../reward.js";
import { goldTexts } from "./gold.js";
import { NO_ANSWER, paymentOf } from "./payment.js";
import { comparableText } from "./qa-text.js";
import { lastAnswerTag, qaScoreLikeVerl } from "./verl-qa.js";

/**
 * Question answering with a search tool (Search-R1, Jin et al. 2025, arXiv:2503.09516): the last `<answer>…</answer>` must
 * say one of the targets. The gold answer is `{target}`, a text or a list. Options `score` and `format_score` as elsewhere;
 * `compat: verl` compares as the reference does, which pays a quarter for more than ten tags. Extra values: `acc`, `pred`,
 * `format`. Abstains without a target.
 */
export const qaScorer: Scorer = {
  name: "qa_exact_match",
  dataSources: ["searchR1_*"],
  score({ solution, groundTruth, kwargs }) {
    const targets = goldTexts(targetOf(groundTruth));
    const pays = paymentOf(kwargs);
    if (kwargs.compat === "verl") {
      const { score, pred } = qaScoreLikeVerl(solution, targets);
      const paid = score > 0 ? score * pays.right : pred === null ? pays.none : pays.wrong;
      return { score: paid, acc: Number(score > 0), pred: pred ?? NO_ANSWER, format: Number(pred !== null) };
    }
    const golds = targets.map(comparableText).filter((target) => target !== "");
    if (golds.length === 0) return null;
    const answer = lastAnswerTag(solution);
    if (answer === null) return { score: pays.none, acc: 0, pred: NO_ANSWER, format: 0 };
    const pred = comparableText(answer);
    const acc = golds.includes(pred);
    return { score: acc ? pays.right : pays.wrong, acc: Number(acc), pred, format: 1 };
  },
};

function targetOf(groundTruth: JsonValue): JsonValue {
  const isObject = typeof groundTruth === "object" && groundTruth !== null && !Array.isArray(groundTruth);
  return isObject ? ((groundTruth as Readonly<Record<string, JsonValue>>).target ?? null) : groundTruth;
}
