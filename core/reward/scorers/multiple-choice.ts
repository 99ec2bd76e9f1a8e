import type { JsonValue } from "../../host/types.js";
import type { Scorer } from "../reward.js";
import { boxedAnswer } from "./boxed.js";
import { type Choice, choicesIn, labelIn } from "./choice.js";
import { NO_ANSWER, paymentOf } from "./payment.js";
import { statedAnswer } from "./stated-answer.js";

/**
 * Questions with lettered choices: the letter in `\boxed{…}` or in a stated answer (`Answer: B`, `the answer is (B)`). With
 * `extra_info.choices` (a list of texts, or `{label, text}`) the text of a choice stands for its letter. An answer that names
 * several choices is none. With `method: flexible` a letter alone in the last line counts too.
 *
 * The gold answer is a letter, a label or, as a number, the position of the choice from 0; anything else abstains. Options
 * `score` and `format_score`; extra values `acc`, `pred`, `format`.
 */
export const multipleChoiceScorer: Scorer = {
  name: "multiple_choice",
  dataSources: [
    "multiple_choice*",
    "cais/mmlu*",
    "TIGER-Lab/MMLU-Pro*",
    "Idavidrein/gpqa*",
    "allenai/ai2_arc*",
    "allenai/openbookqa*",
    "tau/commonsense_qa*",
  ],
  score({ solution, groundTruth, extraInfo, kwargs }) {
    const choices = choicesIn(extraInfo.choices);
    const gold = goldLabel(groundTruth, choices);
    if (gold === null) return null;
    const placed = boxedAnswer(solution) ?? statedAnswer(solution);
    const text = placed ?? (kwargs.method === "flexible" ? lastLine(solution) : null);
    const pred = text === null ? null : labelIn(text, choices);
    const pays = paymentOf(kwargs);
    const score = pred === gold ? pays.right : pred === null ? pays.none : pays.wrong;
    return {
      score,
      acc: Number(pred === gold),
      pred: pred ?? NO_ANSWER,
      format: Number(placed !== null && pred !== null),
    };
  },
};

function goldLabel(groundTruth: JsonValue, choices: readonly Choice[]): string | null {
  if (typeof groundTruth === "number") {
    if (choices.length > 0) return choices[groundTruth]?.label ?? null;
    return Number.isInteger(groundTruth) && groundTruth >= 0 && groundTruth < 26
      ? String.fromCharCode(65 + groundTruth)
      : null;
  }
  return typeof groundTruth === "string" ? labelIn(groundTruth, choices) : null;
}

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf("\n") + 1);
}
