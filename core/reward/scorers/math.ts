import type { Scorer } from "../reward.js";
import { boxedAnswer } from "./boxed.js";
import { goldTexts } from "./gold.js";
import { type AnswerPlaces, gradeMath } from "./math-scorer.js";
import { NO_ANSWER } from "./payment.js";
import { statedAnswer } from "./stated-answer.js";
import { mathScoreLikeVerl } from "./verl-math.js";

const inBox: AnswerPlaces = { strict: boxedAnswer, flexible: statedAnswer };
const byValue = gradeMath(inBox, { method: "strict", none: 0 });

/**
 * MATH (Hendrycks et al. 2021, arXiv:2103.03874): the answer stands in `\boxed{…}` and is compared by value; see
 * {@link gradeMath} for the options. `compat: verl` compares normalised texts as the reference does.
 */
export const mathScorer: Scorer = {
  name: "math",
  dataSources: ["lighteval/MATH", "DigitalLearningGmbH/MATH-lighteval", "HuggingFaceH4/MATH-500"],
  score(input) {
    if (input.kwargs.compat !== "verl") return byValue(input);
    const { score, pred } = mathScoreLikeVerl(input.solution, goldTexts(input.groundTruth)[0] ?? "");
    return { score, acc: score, pred: pred ?? NO_ANSWER };
  },
};

/** NuminaMath (Li et al. 2024), where prompts ask for no format: an answer in a box counts first, then a stated one. */
export const numinaScorer: Scorer = {
  name: "numina",
  dataSources: ["aops_forum", "synthetic_math", "amc_aime", "synthetic_amc", "cn_k12", "olympiads"].map(
    (source) => `numina_${source}`,
  ),
  score: gradeMath(inBox, { method: "flexible", none: 0 }),
};
