/**
 * `gdpo`: group reward-decoupled normalisation (2601.05242), for several reward components per response.
 *
 *   a^k = the `grpo` advantage of component k      S_i = Σ_k w_k a^k_i on valid tokens      A = whiten(S, m) · m
 *
 * Components by `gdpo_reward_keys`, weights by `gdpo_reward_weights` (default 1). Without components the summed reward is
 * the only one. The std switch is honoured. At least two valid tokens are needed.
 */
import type { AdvantageEstimator, AdvantageInput } from "../advantage.js";
import { errors } from "../errors.js";
import { groupRows, sequenceScores, spread, statisticsOf } from "./groups.js";
import { eligibleMask, whitenMasked } from "./whitening.js";

export const gdpo: AdvantageEstimator = {
  name: "gdpo",
  needs: ["rewardComponents"],
  compute(input, config) {
    const components = componentsOf(input, config.extra);
    const weights = weightsOf(config.extra.gdpo_reward_weights, components.length);
    const combined_B = new Float64Array(input.groupIds.length);
    const groups = groupRows(input);
    components.forEach((scores_B, k) => {
      for (const rows of groups) {
        const { mean, std, uniform } = statisticsOf(rows.map((row) => scores_B[row]));
        if (uniform) continue;
        const scale = config.normAdvByStd ? std + 1e-6 : 1;
        for (const row of rows) combined_B[row] += (weights[k] * (scores_B[row] - mean)) / scale;
      }
    });
    const advantages = whitenMasked(
      spread(input, combined_B, new Float64Array(input.responseMask.length)),
      eligibleMask(input),
    );
    return { advantages, returns: advantages };
  },
};

function componentsOf(input: AdvantageInput, extra: Readonly<Record<string, unknown>>): ArrayLike<number>[] {
  if (!input.rewardComponents) return [sequenceScores(input)];
  const keys = extra.gdpo_reward_keys;
  if (!Array.isArray(keys) || keys.length === 0) {
    throw errors.VERL_ALGORITHMS_MISSING_INPUT({
      what: "gdpo needs algorithm.gdpo_reward_keys",
      why: `rewards come with: ${Object.keys(input.rewardComponents).join(", ") || "no components"}`,
      fix: "List the names of the reward components to combine.",
    });
  }
  return keys.map((key: string) => {
    const component = input.rewardComponents?.[key];
    if (!component) {
      throw errors.VERL_ALGORITHMS_MISSING_INPUT({
        what: `gdpo_reward_keys names "${key}", which the rewards do not have`,
        why: `they have: ${Object.keys(input.rewardComponents ?? {}).join(", ") || "none"}`,
      });
    }
    return component;
  });
}

function weightsOf(weights: unknown, count: number): readonly number[] {
  if (weights === undefined || weights === null) return new Array<number>(count).fill(1);
  if (Array.isArray(weights) && weights.length === count) return weights.map(Number);
  throw errors.VERL_ALGORITHMS_BAD_VALUE({
    what: `gdpo_reward_weights is ${JSON.stringify(weights)}`,
    why: `it must list one number for each of the ${count} reward components`,
  });
}
