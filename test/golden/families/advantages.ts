import type { AdvantageInput } from "../../../core/algorithms/advantage.js";
import { groupIndex, groupMeanStd } from "../../../core/algorithms/advantages/group-index.js";
import { drawRows, pfPpoWeights, type ReweightMethod } from "../../../core/algorithms/advantages/pf-ppo.js";
import { builtinAdvantageEstimators } from "../../../core/algorithms/index.js";
import { responseMaskOf } from "../../../core/algorithms/padding.js";
import { type Family, type GoldenCase, type Handler, rowOffsets, rowsOf } from "../case.js";

function find(name: string) {
  const estimator = builtinAdvantageEstimators.find((e) => e.name === name);
  if (!estimator) throw new Error(`no advantage estimator "${name}"`);
  return estimator;
}

/** The vectors' rows are all eligible: the reference lets rows without valid tokens into group statistics. */
function inputOf(c: GoldenCase): AdvantageInput {
  const mask = c.tensor("response_mask");
  const rows = mask.shape[0];
  return {
    responseOffsets: rowOffsets(mask),
    responseMask: mask.data,
    tokenLevelRewards: c.data("token_level_rewards"),
    groupIds: (c.labels("index") ?? c.labels("uid") ?? new Array<string>(rows).fill("g")).map(String),
    eligible: new Array<number>(rows).fill(1),
    keys: c.input<string[] | undefined>("keys"),
    values: c.optionalData("values"),
    rolloutIsWeights: c.optionalData("rollout_is_weights"),
    oldLogProb: c.optionalData("old_log_probs"),
    sumPiSquared: c.optionalData("sum_pi_squared"),
    rewardBaselines: c.optionalData("reward_baselines"),
  };
}

function run(c: GoldenCase, name: string, more: Partial<AdvantageInput> = {}) {
  const config = {
    gamma: c.param("gamma", 1),
    lam: c.param("lam", 1),
    normAdvByStd: c.param("norm_adv_by_std_in_grpo", true),
    extra: c.params,
  };
  return { outputs: { ...find(name).compute({ ...inputOf(c), ...more }, config) } };
}

const named = (...names: string[]): Record<string, Handler> =>
  Object.fromEntries(names.map((name) => [name, (c: GoldenCase) => run(c, name)]));

export const gaeFamily: Family = named("gae");
export const returnsFamily: Family = named("reinforce_plus_plus", "remax");
export const otbFamily: Family = named("optimal_token_baseline", "tir_optimal_token_baseline");

export const groupFamily: Family = {
  ...named(
    "grpo",
    "grpo_vectorized",
    "reinforce_plus_plus_baseline",
    "rloo",
    "rloo_vectorized",
    "opo",
    "gpg",
    "grpo_passk",
  ),

  as_group_index(c) {
    return { outputs: { index: groupIndex(c.labels("labels") ?? [], { numericAsIs: true }) } };
  },

  group_mean_std: (c) => ({ outputs: groupMeanStd(c.data("scores"), c.data("group"), c.param("eps", 0)) }),
};

export const gdpoFamily: Family = {
  gdpo(c) {
    if (c.param("with_batch", false)) {
      const rewardComponents = { format_reward: [1], accuracy_reward: [1] };
      const one = { responseOffsets: Int32Array.of(0, 1), responseMask: [1], tokenLevelRewards: [0], groupIds: ["g"] };
      const config = { gamma: 1, lam: 1, normAdvByStd: true, extra: c.params };
      return { outputs: { ...find("gdpo").compute({ ...one, rewardComponents }, config) } };
    }
    const components = c.input<Record<string, { data: readonly number[] }> | undefined>("components");
    const rewardComponents =
      components &&
      Object.fromEntries(Object.entries(components).map(([key, { data }]) => [key, data.map(Math.fround)]));
    return run(c, "gdpo", { rewardComponents });
  },
};

export const trainerFamily: Family = {
  grpo_multi_trajectory: (c) => run(c, "grpo"),

  compute_response_mask: (c) => ({
    outputs: {
      response_mask: rowsOf(c.tensor("attention_mask")).map((row) => responseMaskOf(row, c.input("response_length"))),
    },
  }),

  pf_ppo_reweight(c) {
    const scores = rowsOf(c.tensor("token_level_scores")).map((row) => row.reduce((a, b) => a + b, 0));
    const weights = pfPpoWeights(scores, c.param<ReweightMethod>("reweight_method"), c.param("weight_pow", 2));
    // The draw is given: a generator that lands inside the right intervals must reproduce it.
    const drawn = c.data("drawn_indices");
    const total = weights.reduce((a, b) => a + b, 0);
    const before = (row: number) => weights.slice(0, row).reduce((a, b) => a + b, 0);
    const positions = drawn.map((row) => (before(row) + weights[row] / 2) / total);
    const rows = drawRows(weights, { next: () => positions.shift()! });
    return { outputs: { sampling_weights: weights, resampled_other: rows, resampled_tag: rows, resampled_list: rows } };
  },
};
