/**
 * `remax` (2310.10505): the baseline is the score of the greedy response to the same prompt.
 *
 *   ret_t = Σ_{t' ≥ t} R m      A = ret − baseline_i · m
 *
 * At masked positions A equals ret, which no masked loss reads. Rows that are not eligible get 0.
 */
import type { AdvantageEstimator } from "../advantage.js";
import { errors } from "../errors.js";
import { isEligible } from "./groups.js";
import { maskedRewardToGo } from "./reward-to-go.js";

export const remax: AdvantageEstimator = {
  name: "remax",
  needs: ["rewardBaselines"],
  compute(input) {
    const { responseOffsets: offsets, responseMask, rewardBaselines } = input;
    if (!rewardBaselines) {
      throw errors.VERL_ALGORITHMS_MISSING_INPUT({ what: "remax needs the score of a greedy response per prompt" });
    }
    const returns = maskedRewardToGo(input);
    const advantages = new Float64Array(returns.length);
    const eligible = isEligible(input);
    for (let b = 0; b + 1 < offsets.length; b++) {
      if (!eligible(b)) continue;
      for (let r = offsets[b]; r < offsets[b + 1]; r++) {
        advantages[r] = responseMask[r] ? returns[r] - rewardBaselines[b] : returns[r];
      }
    }
    return { advantages, returns };
  },
};
