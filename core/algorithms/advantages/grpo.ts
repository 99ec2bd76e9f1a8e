/**
 * `grpo`: group-relative advantages (DeepSeekMath, 2402.03300; without the deviation: Dr. GRPO, 2503.20783).
 *
 *   A_i = (s_i − mean_g) / (std_g + 1e-6)      or      A_i = s_i − mean_g   with norm_adv_by_std_in_grpo = false
 *
 * Sample standard deviation. A group of one has mean 0 and deviation 1. In a group whose scores are all equal the
 * advantage is exactly 0. Rows that are not eligible (rejected, abstaining) leave the statistics and get 0.
 */
import type { AdvantageEstimator } from "../advantage.js";
import { broadcast, groupRows, sequenceScores, statisticsOf } from "./groups.js";

export const grpo: AdvantageEstimator = {
  name: "grpo",
  needs: [],
  compute(input, config) {
    const epsilon = typeof config.extra.epsilon === "number" ? config.extra.epsilon : 1e-6;
    const scores_B = sequenceScores(input);
    const scalar_B = new Float64Array(scores_B.length);
    for (const rows of groupRows(input)) {
      const { mean, std, uniform } = statisticsOf(rows.map((row) => scores_B[row]));
      if (uniform) continue;
      for (const row of rows) scalar_B[row] = (scores_B[row] - mean) / (config.normAdvByStd ? std + epsilon : 1);
    }
    return broadcast(input, scalar_B);
  },
};

/** `grpo_vectorized`: the same numbers under the reference's second name. */
export const grpoVectorized: AdvantageEstimator = { ...grpo, name: "grpo_vectorized" };
