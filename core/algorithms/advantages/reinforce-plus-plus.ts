/**
 * `reinforce_plus_plus` (2501.03262): discounted reward-to-go over the tokens that count, then whitened over the batch.
 *
 *   backwards over tokens with m = 1:  ret_t = R_t + γ · ret_next;   ret = 0 where m = 0 (its reward is not seen)
 *   A = whiten(ret, m) · m
 *
 * `reinforce_plus_plus_baseline`: c_i = s_i − mean_g (a group of one: s_i) on every valid token, whitened over the batch.
 * Rows weigh by their length in the whitening. Both need at least two valid tokens.
 */
import type { AdvantageEstimator } from "../advantage.js";
import { groupRows, sequenceScores, spread, statisticsOf } from "./groups.js";
import { eligibleMask, whitenMasked } from "./whitening.js";

export const reinforcePlusPlus: AdvantageEstimator = {
  name: "reinforce_plus_plus",
  needs: [],
  compute(input, config) {
    const { responseOffsets: offsets, tokenLevelRewards } = input;
    const mask_R = eligibleMask(input);
    const returns = new Float64Array(mask_R.length);
    for (let b = 0; b + 1 < offsets.length; b++) {
      let running = 0;
      for (let r = offsets[b + 1] - 1; r >= offsets[b]; r--) {
        if (!mask_R[r]) continue;
        running = tokenLevelRewards[r] + config.gamma * running;
        returns[r] = running;
      }
    }
    return { advantages: whitenMasked(returns, mask_R), returns };
  },
};

export const reinforcePlusPlusBaseline: AdvantageEstimator = {
  name: "reinforce_plus_plus_baseline",
  needs: [],
  compute(input) {
    const scores_B = sequenceScores(input);
    const scalar_B = new Float64Array(scores_B.length);
    for (const rows of groupRows(input)) {
      const { mean, uniform } = statisticsOf(rows.map((row) => scores_B[row]));
      if (uniform) continue;
      for (const row of rows) scalar_B[row] = scores_B[row] - mean;
    }
    const advantages = whitenMasked(
      spread(input, scalar_B, new Float64Array(input.responseMask.length)),
      eligibleMask(input),
    );
    return { advantages, returns: advantages };
  },
};
