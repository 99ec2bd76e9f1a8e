import { nearestDivisors, nearestMultiples, type Rule, type RuleReport } from "./rules.js";

const ACTOR = "actor_rollout_ref.actor";
const REF = "actor_rollout_ref.ref";
const ROLLOUT = "actor_rollout_ref.rollout";

export function criticUsed(config: {
  critic: { enable: boolean | null };
  algorithm: { adv_estimator: string };
}): boolean {
  return config.critic.enable ?? config.algorithm.adv_estimator === "gae";
}

export function referenceUsed(config: {
  algorithm: { use_kl_in_reward: boolean };
  actor_rollout_ref: { actor: { use_kl_loss: boolean } };
}): boolean {
  return config.algorithm.use_kl_in_reward || config.actor_rollout_ref.actor.use_kl_loss;
}

/** Whether a model is trained through an adapter. */
export function adapterUsed(model: { lora_rank: number; lora_adapter_path: string | null }): boolean {
  return model.lora_rank > 0 || model.lora_adapter_path !== null;
}

/** Prompts per step and per update. */
const batches: Rule = (report) => {
  const { train_batch_size: batch } = report.config.data;
  divides(
    report,
    "data.train_batch_size",
    batch,
    `${ACTOR}.ppo_mini_batch_size`,
    report.config.actor_rollout_ref.actor.ppo_mini_batch_size,
  );
  if (criticUsed(report.config) && report.isSet("critic.ppo_mini_batch_size")) {
    divides(
      report,
      "data.train_batch_size",
      batch,
      "critic.ppo_mini_batch_size",
      report.config.critic.ppo_mini_batch_size,
    );
  }
};

function divides(report: RuleReport, wholeKey: string, whole: number, partKey: string, part: number): void {
  if (part > whole) {
    report.problem("VERL_CONFIG_SIZES", partKey, {
      what: `${partKey} (${part} prompts) is larger than ${wholeKey} (${whole} prompts).`,
      why: `A step has ${whole} prompts, so it cannot be split into updates of ${part}.`,
      fix: `Set ${partKey} to ${nearestDivisors(whole, whole)} or less, or ${wholeKey} to ${part} or more.`,
    });
  } else if (whole % part !== 0) {
    report.problem("VERL_CONFIG_SIZES", partKey, {
      what: `${wholeKey} (${whole}) is not a multiple of ${partKey} (${part}).`,
      why: `${whole} = ${Math.floor(whole / part)} x ${part} + ${whole % part}: the last update would be smaller than the others.`,
      fix: `Set ${wholeKey} to ${nearestMultiples(whole, part)}, or ${partKey} to ${nearestDivisors(whole, part)}.`,
    });
  }
}

/** Trajectories per forward pass, where micro-batches are not packed by tokens. */
const microBatches: Rule = (report) => {
  const { actor, ref, rollout } = report.config.actor_rollout_ref;
  const { n } = rollout;
  micro(report, ACTOR, actor.use_dynamic_bsz, "ppo_micro_batch_size_per_gpu", actor.ppo_micro_batch_size_per_gpu, {
    key: `${ACTOR}.ppo_mini_batch_size`,
    prompts: actor.ppo_mini_batch_size,
    n,
  });
  const batch = { key: "data.train_batch_size", prompts: report.config.data.train_batch_size, n };
  const logProb = "log_prob_micro_batch_size_per_gpu";
  micro(report, ROLLOUT, rollout.log_prob_use_dynamic_bsz, logProb, rollout.log_prob_micro_batch_size_per_gpu, batch);
  if (referenceUsed(report.config)) {
    micro(report, REF, ref.log_prob_use_dynamic_bsz, logProb, ref.log_prob_micro_batch_size_per_gpu, batch);
  }
  if (criticUsed(report.config)) {
    const { critic } = report.config;
    micro(
      report,
      "critic",
      critic.use_dynamic_bsz,
      "ppo_micro_batch_size_per_gpu",
      critic.ppo_micro_batch_size_per_gpu,
      {
        key: "critic.ppo_mini_batch_size",
        prompts: critic.ppo_mini_batch_size,
        n,
      },
    );
  }
};

function micro(
  report: RuleReport,
  at: string,
  dynamic: boolean,
  name: string,
  size: number | null,
  whole: { key: string; prompts: number; n: number },
): void {
  if (dynamic) return;
  const key = `${at}.${name}`;
  const dynamicKey = `${at}.${name.startsWith("log_prob") ? "log_prob_use_dynamic_bsz" : "use_dynamic_bsz"}`;
  // What follows the actor's settings has the actor's problem.
  if (at !== ACTOR && !report.isSet(`${at}.${name}`) && !report.isSet(dynamicKey)) return;
  if (size === null) {
    report.problem("VERL_CONFIG_SIZES", key, {
      what: `${key} is not set, and ${dynamicKey} is false.`,
      why: "One of them must say how a batch is split into forward passes.",
      fix: `Set ${dynamicKey} to true (packs by tokens), or ${key} to the trajectories that fit into memory.`,
    });
    return;
  }
  const rows = whole.prompts * whole.n;
  const arithmetic = `${whole.key} (${whole.prompts}) x ${ROLLOUT}.n (${whole.n}) = ${rows} trajectories`;
  if (size > rows) {
    report.problem("VERL_CONFIG_SIZES", key, {
      what: `${key} (${size}) is larger than the batch it splits (${rows}).`,
      why: `${arithmetic}, which is less than one micro-batch of ${size}.`,
      fix: `Set ${key} to ${nearestDivisors(rows, rows)} or a divisor of it.`,
    });
  } else if (rows % size !== 0) {
    report.problem("VERL_CONFIG_SIZES", key, {
      what: `The batch (${rows} trajectories) is not a multiple of ${key} (${size}).`,
      why: `${arithmetic}; ${rows} = ${Math.floor(rows / size)} x ${size} + ${rows % size}.`,
      fix: `Set ${key} to ${nearestDivisors(rows, size)}.`,
    });
  }
}

/** The longest sequence fits the context limit and every token budget. */
const lengths: Rule = (report) => {
  const { actor, ref, rollout } = report.config.actor_rollout_ref;
  const { critic } = report.config;
  const longest = rollout.prompt_length + rollout.response_length;
  const sum = `${ROLLOUT}.prompt_length (${rollout.prompt_length}) + ${ROLLOUT}.response_length (${rollout.response_length}) = ${longest} tokens`;
  const atLeast = (key: string, limit: number | null, used: boolean) => {
    if (!used || limit === null || limit >= longest) return;
    report.problem("VERL_CONFIG_SIZES", key, {
      what: `${key} (${limit}) is smaller than the longest sequence (${longest}).`,
      why: `${sum}.`,
      fix: `Set ${key} to ${longest} or more, or shorten data.max_prompt_length or data.max_response_length.`,
    });
  };
  atLeast(`${ROLLOUT}.max_model_len`, rollout.max_model_len, true);
  atLeast(`${ACTOR}.ppo_max_token_len_per_gpu`, actor.ppo_max_token_len_per_gpu, actor.use_dynamic_bsz);
  atLeast(
    `${ROLLOUT}.log_prob_max_token_len_per_gpu`,
    rollout.log_prob_max_token_len_per_gpu,
    rollout.log_prob_use_dynamic_bsz,
  );
  const useRef = referenceUsed(report.config) && ref.log_prob_use_dynamic_bsz;
  atLeast(`${REF}.log_prob_max_token_len_per_gpu`, ref.log_prob_max_token_len_per_gpu, useRef);
  const useCritic = criticUsed(report.config) && critic.use_dynamic_bsz;
  atLeast("critic.ppo_max_token_len_per_gpu", critic.ppo_max_token_len_per_gpu, useCritic);
  atLeast("critic.forward_max_token_len_per_gpu", critic.forward_max_token_len_per_gpu, useCritic);

  const { max_prompt_length: dataLimit } = report.config.data;
  if (rollout.prompt_length < dataLimit) {
    report.problem("VERL_CONFIG_SIZES", `${ROLLOUT}.prompt_length`, {
      what: `${ROLLOUT}.prompt_length (${rollout.prompt_length}) is smaller than data.max_prompt_length (${dataLimit}).`,
      why: "Prompts that the data admits would be cut by the rollout.",
      fix: `Leave ${ROLLOUT}.prompt_length out, so that it follows data.max_prompt_length.`,
    });
  }
};

const samples: Rule = (report) => {
  const { data } = report.config;
  for (const name of ["train_max_samples", "val_max_samples"] as const) {
    if (data[name] !== 0) continue;
    report.problem("VERL_CONFIG_SIZES", `data.${name}`, {
      what: `data.${name} is 0, which leaves no rows.`,
      fix: "Use -1 for all rows.",
    });
  }
  const { train_max_samples: rows, train_batch_size: batch } = data;
  if (rows > 0 && rows < batch) {
    report.problem("VERL_CONFIG_SIZES", "data.train_max_samples", {
      what: `data.train_max_samples (${rows}) is smaller than data.train_batch_size (${batch}).`,
      why: `floor(${rows} / ${batch}) = 0 steps per pass.`,
      fix: `Set data.train_batch_size to ${rows} or less.`,
    });
  }
};

/** Every training process has at least one trajectory of each update. */
const processes: Rule = (report) => {
  const { trainer, actor_rollout_ref } = report.config;
  const { actor, rollout } = actor_rollout_ref;
  const rows = actor.ppo_mini_batch_size * rollout.n;
  const key = "trainer.n_gpus_per_node";
  if (trainer.n_gpus_per_node <= rows) return;
  report.problem("VERL_CONFIG_SIZES", key, {
    what: `${key} (${trainer.n_gpus_per_node}) is larger than the trajectories of an update (${rows}).`,
    why: `${ACTOR}.ppo_mini_batch_size (${actor.ppo_mini_batch_size}) x ${ROLLOUT}.n (${rollout.n}) = ${rows}; the other training processes would have nothing to do.`,
    fix: `Set ${key} to ${rows} or less.`,
  });
};

export const sizeRules: readonly Rule[] = [batches, processes, microBatches, lengths, samples];
