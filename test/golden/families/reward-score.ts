import { extractLikeVerl } from "../../../core/reward/gsm8k.js";
import type { Family } from "../case.js";

/** Text scorers under the reference's rules. */
export const rewardScoreFamily: Family = {
  gsm8k(c) {
    const extracted = extractLikeVerl(c.input("solution"), c.param("method", "strict"));
    const [right, wrong] = [c.param("score", 1), c.param("format_score", 0)];
    const score = extracted === null ? 0 : extracted === c.input("ground_truth") ? right : wrong;
    return { outputs: { score, extracted } };
  },
};
