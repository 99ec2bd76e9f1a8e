import { z } from "zod";
import {
  count,
  flag,
  follows,
  key,
  natural,
  nonNegative,
  open,
  optionalCount,
  optionalText,
  positive,
  real,
  section,
  text,
} from "./key.js";
import { klEstimator } from "./kl-estimator.js";
import { checkpoint, optim } from "./optim.js";

const at = "actor_rollout_ref.actor";
const alias = "setting clip_ratio alone takes effect";

export const LOSS_AGG_MODES = [
  "token-mean",
  "token-sum",
  "seq-mean-token-sum",
  "seq-mean-token-mean",
  "seq-mean-token-sum-norm",
] as const;
export const lossAggMode = () => z.enum(LOSS_AGG_MODES);

export const actor = section("The policy and its updates.", {
  strategy: key(optionalText(), null, "Training engine, by registered name; null = the device's default.", {
    registry: "engines",
    differs: { verl: "fsdp", why: "the device decides" },
  }),
  engine_kwargs: open("Options of the training engine, one section per engine name.", {
    differs: { why: "engines bring their own options" },
  }),
  ppo_mini_batch_size: key(count(), follows("data.train_batch_size"), "Prompts per update.", {
    unit: "prompts",
    differs: { verl: 256, why: "one update per step, whatever the batch size" },
  }),
  ppo_micro_batch_size_per_gpu: key(optionalCount(), null, "Trajectories per forward pass without dynamic batching.", {
    unit: "trajectories",
  }),
  use_dynamic_bsz: key(flag(), true, "Pack micro-batches by tokens instead of trajectories.", {
    differs: { verl: false, why: "works without choosing a micro-batch size" },
  }),
  ppo_max_token_len_per_gpu: key(count(), 16384, "Token budget of a micro-batch with dynamic batching.", {
    unit: "tokens",
  }),
  clip_ratio: key(nonNegative(), 0.2, "PPO's clip range."),
  clip_ratio_low: key(nonNegative(), follows("actor_rollout_ref.actor.clip_ratio"), "Lower clip range.", {
    differs: { verl: 0.2, why: alias },
  }),
  clip_ratio_high: key(nonNegative(), follows("actor_rollout_ref.actor.clip_ratio"), "Upper clip range.", {
    differs: { verl: 0.2, why: alias },
  }),
  clip_ratio_c: key(
    z.number().gt(1).nullable(),
    null,
    "Dual-clip bound for negative advantages; bound of the weights in dppo_tv and dppo_kl. null = 3, and 20 for dppo.",
    { differs: { verl: 3, why: "the paper's 20 for dppo never took effect" } },
  ),
  policy_loss: section("The policy loss and its parameters.", {
    loss_mode: key(text(), "vanilla", "Policy loss, by registered name.", {
      registry: "policyLosses",
      // What rollout correction's bypass mode computes; it is chosen there.
      unoffered: { bypass_mode: null },
    }),
    clip_cov_ratio: key(nonNegative(), 0.0002, "clip_cov: share of tokens to clip."),
    clip_cov_lb: key(real(), 1.0, "clip_cov: lower bound of the covariance."),
    clip_cov_ub: key(real(), 5.0, "clip_cov: upper bound of the covariance."),
    kl_cov_ratio: key(nonNegative(), 0.0002, "kl_cov: share of tokens that get the penalty."),
    ppo_kl_coef: key(nonNegative(), 0.1, "kl_cov: weight of the penalty."),
    dro_beta: key(positive().nullable(), null, "dro: regularisation strength."),
    geo_mean_average: key(
      z.enum(["global", "rows"]),
      "global",
      "geo_mean: mean over sequences by the global count, or over the rows at hand, empty ones included, as in verl.",
      { differs: { why: "the loss does not depend on how a mini-batch is split" } },
    ),
  }),
  tau_pos: key(positive(), 1.0, "SAPO: temperature for positive advantages."),
  tau_neg: key(positive(), 1.05, "SAPO: temperature for negative advantages."),
  loss_agg_mode: key(lossAggMode(), "token-mean", "How token losses become one number."),
  loss_scale_factor: key(
    positive().nullable(),
    null,
    "Divisor of seq-mean-token-sum-norm; null = the longest response of the batch.",
  ),
  entropy_coeff: key(real(), 0, "Weight of the entropy bonus."),
  calculate_entropy: key(flag(), false, "Report entropy even where no loss needs it."),
  calculate_sum_pi_squared: key(flag(), false, "Compute the sum of squared probabilities per token."),
  use_kl_loss: key(flag(), false, "Add the KL to the reference policy to the loss."),
  kl_loss_coef: key(nonNegative(), 0.001, "Weight of that KL.", { unit: "per nat" }),
  kl_loss_type: key(
    klEstimator(),
    "low_var_kl",
    "Its estimator: kl = k1, abs, mse = k2, low_var_kl = k3; a `+` uses k2's gradient.",
  ),
  skip_zero_advantage: key(
    flag(),
    false,
    "Do not compute trajectories whose advantages are all 0: same update, but clip and KL metrics leave them out.",
    { differs: { why: "groups with equal rewards give no gradient; skipping them saves their share of the time" } },
  ),
  ppo_epochs: key(count(), 1, "Passes over a batch."),
  shuffle: key(flag(), false, "Shuffle the batch before it is split into mini-batches."),
  data_loader_seed: key(natural(), 42, "Seed of that shuffling."),
  grad_clip: key(nonNegative(), 1.0, "Bound of the global gradient norm; `optim.clip_grad` follows it."),
  optim: optim({ lr: 1e-6, clipGrad: follows(`${at}.grad_clip`) }),
  checkpoint: checkpoint(at),
});

export const ref = section("The frozen reference policy; used with KL in reward or loss.", {
  strategy: key(optionalText(), follows(`${at}.strategy`), "Engine of the reference policy.", { registry: "engines" }),
  log_prob_micro_batch_size_per_gpu: key(
    optionalCount(),
    follows(`${at}.ppo_micro_batch_size_per_gpu`),
    "Trajectories per forward pass.",
    {
      unit: "trajectories",
      differs: { verl: null, why: "one size serves every pass" },
    },
  ),
  log_prob_use_dynamic_bsz: key(flag(), follows(`${at}.use_dynamic_bsz`), "Pack micro-batches by tokens."),
  log_prob_max_token_len_per_gpu: key(
    count(),
    follows(`${at}.ppo_max_token_len_per_gpu`),
    "Token budget of a micro-batch.",
    {
      unit: "tokens",
    },
  ),
});
