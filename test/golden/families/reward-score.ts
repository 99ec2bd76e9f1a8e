import { extractLikeVerl } from "../../../core/reward/scorers/gsm8k.js";
import { mathScoreLikeVerl } from "../../../core/reward/scorers/verl-math.js";
import { dapoScoreLikeVerl } from "../../../core/reward/scorers/verl-math-dapo.js";
import { qaScoreLikeVerl } from "../../../core/reward/scorers/verl-qa.js";
import type { Family } from "../case.js";

/** Text scorers under the reference's rules. */
export const rewardScoreFamily: Family = {
  gsm8k(c) {
    const extracted = extractLikeVerl(c.input("solution"), c.param("method", "strict"));
    const [right, wrong] = [c.param("score", 1), c.param("format_score", 0)];
    const score = extracted === null ? 0 : extracted === c.input("ground_truth") ? right : wrong;
    return { outputs: { score, extracted } };
  },

  math: (c) => ({ outputs: mathScoreLikeVerl(c.input("solution"), c.input("ground_truth")) }),

  math_dapo: (c) => ({
    outputs: {
      ...dapoScoreLikeVerl(c.input("solution"), c.input("ground_truth"), c.param("strict_box_verify", false)),
    },
  }),

  qa_exact_match: (c) => ({ outputs: qaScoreLikeVerl(c.input("solution"), c.input("targets")) }),
};
