import type { Rule } from "./rules.js";
import { adapterUsed, criticUsed, referenceUsed } from "./size-rules.js";

const DESCRIPTION = ["lora_alpha", "use_rslora", "target_modules", "exclude_modules"];

/** Keys of adapters that change nothing. */
const adapters: Rule = (report) => {
  const { config } = report;
  const models = {
    "actor_rollout_ref.model": config.actor_rollout_ref.model,
    ...(criticUsed(config) ? { "critic.model": config.critic.model } : {}),
  };
  const note = (key: string, why: string) => {
    if (report.isSet(key)) report.notice("notice", key, `${key} has no effect: ${why}.`);
  };
  for (const [at, model] of Object.entries(models)) {
    if (model.lora_adapter_path !== null) {
      const why = "the folder of lora_adapter_path says it";
      for (const name of ["lora_rank", ...DESCRIPTION]) note(`${at}.${name}`, why);
    } else if (!adapterUsed(model)) {
      for (const name of DESCRIPTION) note(`${at}.${name}`, "lora_rank is 0");
    }
  }
  if (referenceUsed(config) && adapterUsed(config.actor_rollout_ref.model)) {
    note("actor_rollout_ref.ref.strategy", "the reference policy is the actor without its adapter");
  }
};

export const adapterRules: readonly Rule[] = [adapters];
