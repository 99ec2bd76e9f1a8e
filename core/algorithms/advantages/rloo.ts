/**
 * `rloo`, `rloo_vectorized`: REINFORCE leave-one-out (2402.14740). The baseline is the mean of the others:
 *
 *   A_i = k/(k−1) · (s_i − mean_g) = s_i − mean of the other k−1
 *
 * A group of one keeps its raw score in `rloo` and gets 0 in `rloo_vectorized`.
 */
import type { AdvantageEstimator, AdvantageInput, AdvantageOutput } from "../advantage.js";
import { broadcast, groupRows, sequenceScores, statisticsOf } from "./groups.js";

function leaveOneOut(input: AdvantageInput, single: (score: number) => number): AdvantageOutput {
  const scores_B = sequenceScores(input);
  const scalar_B = new Float64Array(scores_B.length);
  for (const rows of groupRows(input)) {
    const k = rows.length;
    const { mean, uniform } = statisticsOf(rows.map((row) => scores_B[row]));
    if (uniform) continue;
    for (const row of rows) scalar_B[row] = k === 1 ? single(scores_B[row]) : (k / (k - 1)) * (scores_B[row] - mean);
  }
  return broadcast(input, scalar_B);
}

export const rloo: AdvantageEstimator = {
  name: "rloo",
  needs: [],
  compute: (input) => leaveOneOut(input, (score) => score),
};

export const rlooVectorized: AdvantageEstimator = {
  name: "rloo_vectorized",
  needs: [],
  compute: (input) => leaveOneOut(input, () => 0),
};
