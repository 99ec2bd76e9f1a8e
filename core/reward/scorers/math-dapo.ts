import type { Scorer } from "../reward.js";
import { boxedAnswer } from "./boxed.js";
import { goldTexts } from "./gold.js";
import { gradeMath } from "./math-scorer.js";
import { answerLine } from "./stated-answer.js";
import { dapoScoreLikeVerl } from "./verl-math-dapo.js";

const places = {
  strict: (solution: string) => answerLine(solution) ?? boxedAnswer(solution),
  flexible: () => null,
};
const boxOnly = { ...places, strict: boxedAnswer };
const byValue = gradeMath(places, { method: "strict", none: -1 });
const byValueInBox = gradeMath(boxOnly, { method: "strict", none: -1 });

/**
 * DAPO (Yu et al. 2025, arXiv:2503.14476): 1 or −1 for the last line `Answer: …`, which is final; without one the last
 * `\boxed{…}` counts. Compared by value, see {@link gradeMath} for the options; `strict_box_verify` accepts the box only.
 * `compat: verl` looks at the last 300 characters and compares as the reference does.
 */
export const mathDapoScorer: Scorer = {
  name: "math_dapo",
  dataSources: ["math_dapo", "math", "math_dapo_reasoning", "aime*"],
  score(input) {
    const strictBox = input.kwargs.strict_box_verify === true;
    if (input.kwargs.compat !== "verl") return strictBox ? byValueInBox(input) : byValue(input);
    return { ...dapoScoreLikeVerl(input.solution, goldTexts(input.groundTruth)[0] ?? "", strictBox) };
  },
};
