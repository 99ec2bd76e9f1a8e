import { configKeys, type KeyEntry } from "../../core/config/index.js";

const FREQUENT: Readonly<Record<string, readonly string[]>> = {
  "Model and data": [
    "actor_rollout_ref.model.path",
    "data.train_files",
    "data.val_files",
    "data.max_prompt_length",
    "data.max_response_length",
    "reward.custom_reward_function.path",
  ],
  "Batch sizes": [
    "data.train_batch_size",
    "actor_rollout_ref.rollout.n",
    "actor_rollout_ref.actor.ppo_mini_batch_size",
    "actor_rollout_ref.actor.ppo_max_token_len_per_gpu",
  ],
  Algorithm: [
    "algorithm.adv_estimator",
    "actor_rollout_ref.actor.policy_loss.loss_mode",
    "actor_rollout_ref.actor.optim.lr",
    "actor_rollout_ref.actor.use_kl_loss",
    "actor_rollout_ref.rollout.temperature",
  ],
  Run: [
    "trainer.total_epochs",
    "trainer.total_training_steps",
    "trainer.save_freq",
    "trainer.test_freq",
    "trainer.logger",
    "trainer.project_name",
    "trainer.experiment_name",
    "trainer.resume_mode",
    "trainer.device",
  ],
};

/** The keys that most runs set, grouped, from the schema; the rest is one command away. */
export function frequentKeysHelp(): string {
  const byKey = new Map(configKeys.map((entry) => [entry.key, entry]));
  const groups = Object.entries(FREQUENT).map(([group, keys]) => {
    const lines = keys.map((key) => keyLine(byKey.get(key) as KeyEntry));
    return `\n${group}:\n${lines.join("\n")}`;
  });
  return `${groups.join("\n")}\n\n  All keys: verl config explain. One key: verl config explain KEY. Search: verl help WORD.\n`;
}

function keyLine({ key, description, default: value, unit }: KeyEntry): string {
  const shown = JSON.stringify(value) + (unit && typeof value === "number" ? ` ${unit}` : "");
  return `  ${key}\n      ${description} [${shown}]`;
}
