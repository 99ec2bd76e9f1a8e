import type { Rule } from "./rules.js";
import { criticUsed } from "./size-rules.js";

/** Settings that the chosen optimizer does not have, and those that contradict each other. */
const optimizers: Rule = (report) => {
  const { actor_rollout_ref, critic } = report.config;
  const sections = {
    "actor_rollout_ref.actor.optim": actor_rollout_ref.actor.optim,
    ...(criticUsed(report.config) ? { "critic.optim": critic.optim } : {}),
  };
  for (const [at, { optimizer, momentum, nesterov }] of Object.entries(sections)) {
    if (optimizer === "sgd" && nesterov && !momentum) {
      report.problem("VERL_CONFIG_CONFLICT", `${at}.nesterov`, {
        what: `${at}.nesterov is true, and ${at}.momentum is ${momentum ?? "null, which is 0 for sgd"}.`,
        fix: `Set ${at}.momentum above 0, e.g. 0.9, or nesterov to false.`,
      });
    }
    const unused = (name: string, users: readonly string[]) => {
      if (users.includes(optimizer) || !report.isSet(`${at}.${name}`)) return;
      report.notice("notice", `${at}.${name}`, `${at}.${name} has no effect: the optimizer is ${optimizer}.`);
    };
    for (const name of ["betas", "eps"]) unused(name, ["adamw", "muon"]);
    for (const name of ["momentum", "nesterov"]) unused(name, ["sgd", "muon"]);
    for (const name of ["muon.scale", "muon.iterations"]) unused(name, ["muon"]);
  }
};

export const optimizerRules: readonly Rule[] = [optimizers];
