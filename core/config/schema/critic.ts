import { lossAggMode } from "./actor.js";
import { count, flag, follows, key, natural, nonNegative, open, optionalCount, optionalText, section } from "./key.js";
import { model } from "./model.js";
import { checkpoint, optim } from "./optim.js";

const actor = "actor_rollout_ref.actor";

export const critic = section("The value model; used by the estimator gae.", {
  enable: key(flag().nullable(), null, "Train a critic; null = when the estimator is gae."),
  strategy: key(optionalText(), follows(`${actor}.strategy`), "Training engine; null = the device's default.", {
    registry: "engines",
    differs: { verl: "fsdp", why: "the device decides" },
  }),
  engine_kwargs: open("Options of the training engine, one section per engine name.", {
    differs: { why: "engines bring their own options" },
  }),
  model: model(follows("actor_rollout_ref.model.path")),
  ppo_mini_batch_size: key(count(), follows(`${actor}.ppo_mini_batch_size`), "Prompts per update.", {
    unit: "prompts",
  }),
  ppo_micro_batch_size_per_gpu: key(optionalCount(), null, "Trajectories per forward pass without dynamic batching.", {
    unit: "trajectories",
  }),
  use_dynamic_bsz: key(flag(), follows(`${actor}.use_dynamic_bsz`), "Pack micro-batches by tokens."),
  ppo_max_token_len_per_gpu: key(count(), 32768, "Token budget of a micro-batch.", { unit: "tokens" }),
  forward_max_token_len_per_gpu: key(
    count(),
    follows("critic.ppo_max_token_len_per_gpu"),
    "Token budget when only values are computed.",
    { unit: "tokens" },
  ),
  ppo_epochs: key(count(), follows(`${actor}.ppo_epochs`), "Passes over a batch."),
  shuffle: key(flag(), follows(`${actor}.shuffle`), "Shuffle the batch before it is split."),
  data_loader_seed: key(natural(), 42, "Seed of that shuffling."),
  cliprange_value: key(nonNegative(), 0.5, "Clip range of the value loss."),
  loss_agg_mode: key(lossAggMode(), follows(`${actor}.loss_agg_mode`), "How token losses become one number."),
  grad_clip: key(nonNegative(), 1.0, "Bound of the global gradient norm; `optim.clip_grad` follows it."),
  optim: optim({ lr: 1e-5, clipGrad: follows("critic.grad_clip") }),
  checkpoint: checkpoint("critic"),
});
