import type { Rule } from "./rules.js";

const MODEL = "reward.reward_model";

/** Keys that one reward manager reads. */
const MANAGER_KEYS = [
  [["reward.num_workers"], "remote"],
  [["reward.max_rpm", "reward.max_tpm", "reward.estimated_tokens_per_request"], "rate_limited"],
  [["reward.batch.max_size", "reward.batch.max_wait_ms"], "batch"],
  [["reward.hybrid"], "hybrid"],
] as const;

const managers: Rule = (report) => {
  const { reward_manager: manager, hybrid } = report.config.reward;
  if (manager.source === "importlib") {
    if (report.isSet("reward.reward_manager.name")) {
      const key = "reward.reward_manager.name";
      report.notice("notice", key, `${key} has no effect: reward.reward_manager.source is importlib.`);
    }
    if (manager.module.path !== null) return;
    report.problem("VERL_CONFIG_CONFLICT", "reward.reward_manager.module.path", {
      what: "reward.reward_manager.source is importlib, and no module is named.",
      fix: "Set reward.reward_manager.module.path to a file, or source to register.",
    });
    return;
  }
  if (manager.module.path !== null) {
    const key = "reward.reward_manager.module.path";
    report.notice("warning", key, `${key} has no effect: reward.reward_manager.source is register, not importlib.`);
  }
  for (const [keys, needed] of MANAGER_KEYS) {
    if (manager.name === needed) continue;
    for (const key of keys.filter((name) => report.isSet(name))) {
      report.notice("notice", key, `${key} has no effect: the reward manager is ${manager.name}, not ${needed}.`);
    }
  }
  if (manager.name === "hybrid" && hybrid.length === 0) {
    report.problem("VERL_CONFIG_CONFLICT", "reward.hybrid", {
      what: "reward.reward_manager.name is hybrid, and reward.hybrid has no rules.",
      fix: 'Add one, e.g. {data_source: "*", rule: 0.5, model: 0.5}.',
    });
  }
};

/** Who uses the reward model, and whether it can be had. */
const models: Rule = (report) => {
  const { reward } = report.config;
  const { reward_model: model, custom_reward_function: custom, hybrid } = reward;
  const conflict = (key: string, what: string, fix: string, why?: string) =>
    report.problem("VERL_CONFIG_CONFLICT", key, { what, fix, why });
  if (!model.enable) {
    const set = ["model_path", "addresses", "enable_resource_pool", "rollout.name"].find((name) =>
      report.isSet(`${MODEL}.${name}`),
    );
    if (set) report.notice("notice", `${MODEL}.${set}`, `${MODEL}.${set} has no effect: ${MODEL}.enable is false.`);
    return;
  }
  if (model.model_path === null && model.model_name === null) {
    conflict(`${MODEL}.model_path`, `${MODEL}.enable is true, and no model is named.`, `Set ${MODEL}.model_path.`);
  }
  const isHybrid = reward.reward_manager.source === "register" && reward.reward_manager.name === "hybrid";
  const isComputed = model.rollout.name === "engine";
  const weighs = isHybrid && hybrid.some((rule) => rule.model !== 0);
  if (custom.path !== null && !weighs && model.addresses.length === 0) {
    conflict(
      `${MODEL}.addresses`,
      `${MODEL}.enable is true, but reward.custom_reward_function.path scores, and there are no servers for it to ask.`,
      `Set ${MODEL}.addresses, which the function gets as \`judge\`; leave the function out to score with the model; or set the reward manager to hybrid.`,
    );
  }
  if (isComputed && model.addresses.length > 0 && custom.path === null) {
    conflict(
      `${MODEL}.addresses`,
      `${MODEL}.addresses names servers, and ${MODEL}.rollout.name is engine, which needs none.`,
      `Set ${MODEL}.rollout.name to the kind of the servers, or leave the addresses out.`,
    );
  }
};

export const rewardRules: readonly Rule[] = [managers, models];
