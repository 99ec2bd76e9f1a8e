/**
 * `grpo_passk`: pass@k policy optimisation (2503.19595). Only the best row of a group is rewarded, by its lead over the
 * second: A_best = s_max − s_second, divided by (std_g + 1e-6) if the std switch is on. A tie at the top gives 0.
 */
import type { AdvantageEstimator } from "../advantage.js";
import { errors } from "../errors.js";
import { broadcast, groupRows, sequenceScores, statisticsOf } from "./groups.js";

export const grpoPassk: AdvantageEstimator = {
  name: "grpo_passk",
  needs: [],
  compute(input, config) {
    const epsilon = typeof config.extra.epsilon === "number" ? config.extra.epsilon : 1e-6;
    refuseSingles(input.groupIds);
    const scores_B = sequenceScores(input);
    const scalar_B = new Float64Array(scores_B.length);
    for (const rows of groupRows(input)) {
      if (rows.length < 2) continue;
      const [best, second] = [...rows].sort((a, b) => scores_B[b] - scores_B[a] || a - b);
      const { std } = statisticsOf(rows.map((row) => scores_B[row]));
      scalar_B[best] = (scores_B[best] - scores_B[second]) / (config.normAdvByStd ? std + epsilon : 1);
    }
    return broadcast(input, scalar_B);
  },
};

function refuseSingles(groupIds: readonly string[]): void {
  const sizes = new Map<string, number>();
  for (const id of groupIds) sizes.set(id, (sizes.get(id) ?? 0) + 1);
  for (const [id, size] of sizes) {
    if (size > 1) continue;
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `group "${id}" has one response`,
      why: "grpo_passk compares the best response with the second best",
      fix: "Set rollout.n to 2 or more.",
    });
  }
}
