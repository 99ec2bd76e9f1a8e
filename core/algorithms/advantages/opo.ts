/**
 * `opo`: on-policy optimal baseline (2505.23587), weighted by length: b_g = Σ n_j s_j / Σ n_j, A_i = s_i − b_g.
 * A group of one has baseline 0.
 */
import type { AdvantageEstimator } from "../advantage.js";
import { broadcast, groupRows, sequenceScores, statisticsOf, validLengths } from "./groups.js";

export const opo: AdvantageEstimator = {
  name: "opo",
  needs: [],
  compute(input) {
    const scores_B = sequenceScores(input);
    const lengths_B = validLengths(input);
    const scalar_B = new Float64Array(scores_B.length);
    for (const rows of groupRows(input)) {
      if (statisticsOf(rows.map((row) => scores_B[row])).uniform) continue;
      const tokens = rows.reduce((sum, row) => sum + lengths_B[row], 0);
      const weighted = rows.reduce((sum, row) => sum + lengths_B[row] * scores_B[row], 0);
      const baseline = rows.length > 1 && tokens > 0 ? weighted / tokens : 0;
      for (const row of rows) scalar_B[row] = scores_B[row] - baseline;
    }
    return broadcast(input, scalar_B);
  },
};
