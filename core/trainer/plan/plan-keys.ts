import type { RunConfig } from "../../config/run-config.js";

/** Those whose options are looked at before a run. */
export type PlanOwner = "actor" | "critic" | "reference" | "reward model" | "rollout";

const ACTOR = "actor_rollout_ref";
const ROLLOUT = `${ACTOR}.rollout`;

/** Where a member of an engine's or a server's options comes from: the key of the configuration that a user would change. */
export function keyOfOption(owner: PlanOwner, option: string, config: RunConfig): string {
  const [member, ...inner] = option.split(".");
  const rest = inner.map((name) => `.${name}`).join("");
  if (member === "threads") return "trainer.threads";
  if (member === "seed") return "trainer.seed";
  if (member === "topology") return "trainer.n_gpus_per_node";
  if (member === "work") return "data.max_response_length";
  if (owner === "rollout") return rolloutKey(member, rest, config);
  if (owner === "reward model") {
    const at = "reward.reward_model";
    return member === "model" ? `${at}.model_path` : member === "extra" ? `${at}.engine_kwargs` : `${at}.strategy`;
  }
  const isCritic = owner === "critic";
  const ownModel = isCritic && (config.critic.model.path !== null || config.critic.model.config !== null);
  if (member === "model") return modelKey(ownModel ? "critic.model" : `${ACTOR}.model`, config, rest);
  if (member === "adapter") return `${isCritic ? "critic" : ACTOR}.model.${ADAPTER[inner[0]] ?? "lora_rank"}`;
  const section = isCritic ? "critic" : `${ACTOR}.actor`;
  if (member === "optimizer") return `${section}.optim.${optimizerKey(inner)}`;
  if (member === "extra") {
    const { strategy, engine_kwargs } = isCritic ? config.critic : config.actor_rollout_ref.actor;
    const backend = strategy ?? Object.keys(engine_kwargs)[0];
    return `${section}.engine_kwargs${backend ? `.${backend}` : ""}${rest}`;
  }
  return strategyKey(owner);
}

/** The key that chooses who it is. */
export function strategyKey(owner: PlanOwner): string {
  switch (owner) {
    case "actor":
      return `${ACTOR}.actor.strategy`;
    case "critic":
      return "critic.strategy";
    case "reference":
      return `${ACTOR}.ref.strategy`;
    case "reward model":
      return "reward.reward_model.strategy";
    case "rollout":
      return `${ROLLOUT}.name`;
  }
}

function rolloutKey(member: string, rest: string, config: RunConfig): string {
  const { rollout } = config.actor_rollout_ref;
  switch (member) {
    case "model":
      return modelKey(`${ACTOR}.model`, config, rest);
    case "maxModelLen":
      return rollout.max_model_len === null ? "data.max_response_length" : `${ROLLOUT}.max_model_len`;
    case "maxNumSeqs":
      return `${ROLLOUT}.max_num_seqs`;
    case "responseLength":
      return "data.max_response_length";
    case "quantization":
      return `${ROLLOUT}.quantization`;
    case "extra":
      return `${ROLLOUT}.engine_kwargs.${rollout.name}${rest}`;
    default:
      return `${ROLLOUT}.name`;
  }
}

/** Of a model that the configuration describes, the key of the value itself. */
function modelKey(section: string, config: RunConfig, rest: string): string {
  const model = section === "critic.model" ? config.critic.model : config.actor_rollout_ref.model;
  return `${section}.${model.path === null ? `config${rest}` : "path"}`;
}

const ADAPTER: Readonly<Record<string, string>> = {
  rank: "lora_rank",
  alpha: "lora_alpha",
  rslora: "use_rslora",
  targetModules: "target_modules",
  excludeModules: "exclude_modules",
  path: "lora_adapter_path",
};

const SCHEDULE: Readonly<Record<string, string>> = {
  type: "lr_scheduler_type",
  warmupSteps: "lr_warmup_steps",
  totalSteps: "total_training_steps",
};

function optimizerKey([name = "name", member]: readonly string[]): string {
  if (name === "name") return "optimizer";
  if (name === "schedule") return SCHEDULE[member] ?? snake(member ?? "lr_scheduler_type");
  return member === undefined ? snake(name) : `${snake(name)}.${snake(member)}`;
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
