import { z } from "zod";
import { count, flag, fraction, key, natural, nonNegative, optionalText, positive, section, text } from "./key.js";
import { klEstimator } from "./kl-estimator.js";
import { MAX_WORKERS } from "./most.js";

const unlisted = "verl reads it although its file does not list it";

export const algorithm = section("Advantages, KL in the reward, group filtering, rollout correction.", {
  adv_estimator: key(text(), "grpo", "Advantage estimator, by registered name.", {
    registry: "advantageEstimators",
    differs: { verl: "gae", why: "needs no critic, so it fits one machine" },
  }),
  gamma: key(fraction(), 1.0, "Discount per token."),
  lam: key(fraction(), 1.0, "GAE's lambda."),
  norm_adv_by_std_in_grpo: key(flag(), true, "Divide by the group's standard deviation (false = Dr. GRPO)."),
  gdpo_reward_keys: key(z.array(z.string()).nullable(), null, "gdpo: the reward values that it combines, by name.", {
    differs: { why: unlisted },
  }),
  gdpo_reward_weights: key(z.array(z.number()).nullable(), null, "gdpo: a weight for each of them; null = 1 each.", {
    differs: { why: unlisted },
  }),
  use_pf_ppo: key(flag(), false, "With gae: train on trajectories drawn by weights of their scores (PF-PPO)."),
  pf_ppo: section("The weights of that draw.", {
    reweight_method: key(
      z.enum(["pow", "max_min", "max_random"]),
      "pow",
      "pow = |score|^weight_pow; max_min = the best and the worst alone; max_random = 0.4 for the best, 0.1 for others.",
    ),
    weight_pow: key(z.number(), 2.0, "Exponent of pow."),
  }),
  use_kl_in_reward: key(flag(), false, "Subtract the KL to the reference policy from the reward, per token."),
  kl_penalty: key(
    klEstimator(),
    "kl",
    "Estimator of that KL: kl = k1, abs, mse = k2, low_var_kl = k3; a `+` uses k2's gradient.",
  ),
  kl_ctrl: section("Coefficient of the KL in the reward.", {
    type: key(z.enum(["fixed", "adaptive"]), "fixed", "fixed, or adaptive towards `target_kl`."),
    kl_coef: key(nonNegative(), 0.001, "Coefficient, or its start value.", { unit: "reward per nat" }),
    horizon: key(positive(), 10000, "Samples over which the adaptive controller reacts.", { unit: "samples" }),
    target_kl: key(positive(), 0.1, "KL that the adaptive controller aims at.", { unit: "nats per token" }),
  }),
  filter_groups: section("Dynamic sampling (DAPO): replace groups whose samples all have the same score.", {
    enable: key(flag(), false, "Whether groups without signal are replaced."),
    metric: key(optionalText(), null, "Reward value to compare: acc, score, ... (needed when enabled)."),
    max_num_gen_batches: key(natural(), 0, "Give up a step after so many batches of prompts; 0 = never."),
    max_inflight_gen_batches: key(count(MAX_WORKERS), 1, "Batches of prompts in flight while refilling.", {
      guarded: true,
    }),
    on_exhausted: key(
      z.enum(["fail", "continue"]),
      "fail",
      "At that bound: end the run with the reasons, or train on the groups that there are.",
      { differs: { why: "verl knows no bound any more; before, it ended the run" } },
    ),
  }),
  rollout_correction: section("Correction for the gap between sampler and trainer.", {
    rollout_is: key(z.enum(["token", "sequence"]).nullable(), null, "Importance weights per token or sequence."),
    rollout_is_threshold: key(
      z.union([z.number().gt(0), z.string()]),
      2.0,
      "Upper bound of the weights, or `low_high` to drop what lies outside.",
    ),
    rollout_is_batch_normalize: key(flag(), false, "Scale the weights to a mean of 1 over the batch."),
    rollout_rs: key(optionalText(), null, "Rejection options, comma-separated, e.g. token_k1 or seq_mean_k3."),
    rollout_rs_threshold: key(
      z.union([z.number(), z.string()]).nullable(),
      null,
      "Threshold of each rejection option, comma-separated; `low_high` for two-sided ones.",
    ),
    bypass_mode: key(flag(), false, "Use the sampler's log-probabilities as the old ones (saves a forward pass)."),
    loss_type: key(z.enum(["ppo_clip", "reinforce"]), "ppo_clip", "Policy loss in bypass mode."),
    count_rejected_tokens: key(
      flag(),
      false,
      "Leave rejected tokens and trajectories in the loss's denominators, as verl does.",
      { differs: { why: "a token that trains nothing should not weigh either" } },
    ),
  }),
});
