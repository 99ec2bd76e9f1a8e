/**
 * `gpg`: group policy gradient (2504.02546). α makes up for rows without signal:
 *
 *   α = B / max(1, #{i : s_i ≠ 0})      A_i = α · (s_i − mean_g) / f_norm,   f_norm = 1 unless set
 *
 * Counts are over the eligible rows of the whole batch; since non-zero scores count, ±1 rewards never change α. A group
 * of one has mean 0. Use with policy loss `gpg`.
 */
import type { AdvantageEstimator } from "../advantage.js";
import { broadcast, groupRows, sequenceScores, statisticsOf } from "./groups.js";

export const gpgAdvantage: AdvantageEstimator = {
  name: "gpg",
  needs: [],
  compute(input, config) {
    const fNorm = typeof config.extra.f_norm === "number" ? config.extra.f_norm : 1;
    const scores_B = sequenceScores(input);
    const groups = groupRows(input);
    const rows = groups.flat();
    const alpha = rows.length / Math.max(1, rows.filter((row) => scores_B[row] !== 0).length);
    const scalar_B = new Float64Array(scores_B.length);
    for (const group of groups) {
      const { mean, uniform } = statisticsOf(group.map((row) => scores_B[row]));
      if (uniform) continue;
      for (const row of group) scalar_B[row] = (alpha * (scores_B[row] - mean)) / fNorm;
    }
    return broadcast(input, scalar_B);
  },
};
