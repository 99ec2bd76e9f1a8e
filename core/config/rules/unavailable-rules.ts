import { configKeys } from "../keys/catalogue.js";
import type { Rule, RuleReport } from "./rules.js";
import { criticUsed } from "./size-rules.js";

const ROLLOUT = "actor_rollout_ref.rollout";
const CORRECTION = "algorithm.rollout_correction";

function unsupported(report: RuleReport, key: string, value: unknown, why: string, fix: string): void {
  report.problem("VERL_CONFIG_UNSUPPORTED", key, {
    what: `${key} = ${JSON.stringify(value)} is not available yet.`,
    why: `${why} Ignoring the setting would change the result.`,
    fix,
  });
}

/** Tools, cut prompts, changed models: what the parts of this version cannot do, and must not ignore. */
const parts: Rule = (report) => {
  const { data, actor_rollout_ref } = report.config;
  const { model, rollout } = actor_rollout_ref;
  if (data.truncation === "right" || data.truncation === "middle") {
    const why = "Prompts that are too long lose their beginning.";
    unsupported(report, "data.truncation", data.truncation, why, "Set it to left, or to error.");
  }
  if (Object.keys(model.override_config).length > 0) {
    const key = "actor_rollout_ref.model.override_config";
    const why = "Models are read as their config.json says.";
    unsupported(report, key, model.override_config, why, "Change config.json in a copy of the model.");
  }
  const { backend } = rollout.checkpoint_engine;
  if (backend !== "naive") {
    const why = "Trainer and server share a process, and weights are copied in memory.";
    unsupported(report, `${ROLLOUT}.checkpoint_engine.backend`, backend, why, "Set it to naive.");
  }
};

/** Rollout correction and the policy loss say one thing. */
const correction: Rule = (report) => {
  const { algorithm, actor_rollout_ref } = report.config;
  const { bypass_mode: bypass, loss_type: lossType } = algorithm.rollout_correction;
  const { loss_mode: mode } = actor_rollout_ref.actor.policy_loss;
  const modeKey = "actor_rollout_ref.actor.policy_loss.loss_mode";
  if (bypass && mode !== "vanilla" && mode !== "bypass_mode") {
    report.problem("VERL_CONFIG_CONFLICT", modeKey, {
      what: `${CORRECTION}.bypass_mode has a policy loss of its own, and ${modeKey} is ${mode}.`,
      fix: `Leave ${modeKey} out and choose ${CORRECTION}.loss_type, or set bypass_mode to false.`,
    });
  }
  if (!bypass && mode === "bypass_mode") {
    report.problem("VERL_CONFIG_CONFLICT", modeKey, {
      what: `${modeKey} is bypass_mode, and ${CORRECTION}.bypass_mode is false.`,
      fix: `Set ${CORRECTION}.bypass_mode to true and leave ${modeKey} out.`,
    });
  }
  if (!bypass && lossType !== "ppo_clip") {
    report.problem("VERL_CONFIG_CONFLICT", `${CORRECTION}.loss_type`, {
      what: `${CORRECTION}.loss_type is ${lossType}, which takes effect in bypass mode alone.`,
      fix: `Set ${CORRECTION}.bypass_mode to true, or ${modeKey} to ${lossType}.`,
    });
  }
  if (algorithm.adv_estimator === "gdpo" && algorithm.gdpo_reward_keys === null) {
    report.problem("VERL_CONFIG_CONFLICT", "algorithm.gdpo_reward_keys", {
      what: "algorithm.adv_estimator is gdpo, and algorithm.gdpo_reward_keys names no reward values to combine.",
      fix: "List names of values that the reward function returns, e.g. algorithm.gdpo_reward_keys=[format, accuracy].",
    });
  }
};

/** Keys that are fine to set and change nothing in this configuration. */
const withoutEffect: Rule = (report) => {
  const { config } = report;
  const note = (key: string, why: string, isSet = report.isSet(key)) => {
    if (isSet) report.notice("notice", key, `${key} has no effect: ${why}.`);
  };
  const holds = (section: object) => Object.keys(section).length > 0;
  if (!criticUsed(config)) {
    const set = configKeys.filter(
      ({ key }) => key.startsWith("critic.") && key !== "critic.enable" && report.isSet(key),
    );
    if (set.length > 0) {
      const more = set.length > 1 ? ` and ${set.length - 1} more of critic have` : " has";
      report.notice("notice", set[0].key, `${set[0].key}${more} no effect: no critic is trained.`);
    }
    note("trainer.max_critic_ckpt_to_keep", "no critic is trained");
  } else note("trainer.max_critic_ckpt_to_keep", "a checkpoint holds both models; max_actor_ckpt_to_keep counts them");
  const { use_pf_ppo: filtered, adv_estimator: estimator } = config.algorithm;
  note("algorithm.use_pf_ppo", `the estimator is ${estimator}, not gae`, filtered && estimator !== "gae");
  if (config.data.gen_batch_size !== null) {
    note("data.gen_batch_size", "all prompts of a step are handed to the rollout at once");
  }
  const { multi_turn: turns, agent } = config.actor_rollout_ref.rollout;
  if (turns.enable && ["single_turn_agent", "single_turn"].includes(agent.default_agent_loop)) {
    const loop = `${ROLLOUT}.agent.default_agent_loop`;
    note(
      `${ROLLOUT}.multi_turn.enable`,
      `rows without agent_name run ${agent.default_agent_loop}; set ${loop} to tool_agent`,
    );
  }
  note(`${ROLLOUT}.checkpoint_engine.update_weights_bucket_megabytes`, "weights are copied tensor by tensor");
  const { engine_kwargs: transfer } = config.actor_rollout_ref.rollout.checkpoint_engine;
  note(`${ROLLOUT}.checkpoint_engine.engine_kwargs`, "copying in memory has no options", holds(transfer));
  note("trainer.v1.sync", "the mode has no options", holds(config.trainer.v1.sync));
};

export const unavailableRules: readonly Rule[] = [parts, correction, withoutEffect];
