import type { Rule } from "./rules.js";

const ROLLOUT = "actor_rollout_ref.rollout";

/** Estimators that compare the samples of one prompt. */
const GROUP_ESTIMATORS = [
  "grpo",
  "grpo_vectorized",
  "grpo_passk",
  "gdpo",
  "rloo",
  "rloo_vectorized",
  "opo",
  "reinforce_plus_plus_baseline",
  "optimal_token_baseline",
  "tir_optimal_token_baseline",
];

/** What this version cannot do and must not ignore. */
const available: Rule = (report) => {
  const { trainer, actor_rollout_ref } = report.config;
  const one = (key: string, value: number, unit: string) => {
    if (value <= 1) return;
    report.problem("VERL_CONFIG_UNSUPPORTED", key, {
      what: `${key} = ${value}: more than one ${unit} is not available yet.`,
      why: "Training runs on one machine, and a server on one device. Ignoring the setting would change results.",
      fix: `Set ${key} to 1.`,
    });
  };
  one("trainer.nnodes", trainer.nnodes, "machine");
  one(
    `${ROLLOUT}.tensor_model_parallel_size`,
    actor_rollout_ref.rollout.tensor_model_parallel_size,
    "device per server",
  );
};

/** Losses without a term that lives on tokens of advantage 0. */
const ADVANTAGE_ONLY = ["vanilla", "gspo", "sapo", "gpg", "cispo", "dppo_tv", "dppo_kl"];

/** Skipping is only sound where such trajectories would have had no gradient. */
const zeroAdvantages: Rule = (report) => {
  const { actor } = report.config.actor_rollout_ref;
  if (!actor.skip_zero_advantage) return;
  const key = "actor_rollout_ref.actor.skip_zero_advantage";
  const refuse = (why: string) =>
    report.problem("VERL_CONFIG_CONFLICT", key, {
      what: `${key} is true, but trajectories of advantage 0 would have a gradient.`,
      why,
      fix: `Set ${key} to false.`,
    });
  if (actor.entropy_coeff !== 0)
    refuse(`The entropy bonus (entropy_coeff = ${actor.entropy_coeff}) counts for them too.`);
  if (actor.use_kl_loss) refuse("The KL loss (use_kl_loss) counts for them too.");
  const { loss_mode } = actor.policy_loss;
  if (!ADVANTAGE_ONLY.includes(loss_mode)) refuse(`The policy loss ${loss_mode} has terms beside the advantage.`);
};

/** Two answers to one question. */
const sampler: Rule = (report) => {
  const { name, class_path: file, class_name: exported } = report.config.data.sampler;
  if (name !== null && file !== null) {
    report.problem("VERL_CONFIG_CONFLICT", "data.sampler.name", {
      what: `data.sampler.name is ${name}, and data.sampler.class_path names a sampler of your own.`,
      fix: "Leave one of them out.",
    });
  }
  if (file !== null && exported === null) {
    report.problem("VERL_CONFIG_CONFLICT", "data.sampler.class_name", {
      what: "data.sampler.class_path is set and data.sampler.class_name is not.",
      fix: "Name the export: a class, a function or an object with create(options).",
    });
  }
};

const validation: Rule = (report) => {
  const { trainer, actor_rollout_ref } = report.config;
  if (trainer.val_only && !trainer.val_before_train) {
    report.problem("VERL_CONFIG_CONFLICT", "trainer.val_only", {
      what: "trainer.val_only is true and trainer.val_before_train is false, so nothing would be validated.",
      fix: "Set trainer.val_before_train to true.",
    });
  }
  const { val_kwargs: val } = actor_rollout_ref.rollout;
  if (val.do_sample === true && val.temperature === 0) {
    report.problem("VERL_CONFIG_CONFLICT", `${ROLLOUT}.val_kwargs.temperature`, {
      what: `${ROLLOUT}.val_kwargs.do_sample is true and its temperature is 0, which is greedy.`,
      fix: `Set ${ROLLOUT}.val_kwargs.temperature above 0, or do_sample to false.`,
    });
  }
  if (val.n > 1 && (val.temperature === 0 || val.do_sample === false)) {
    const message = `Validation is greedy, so its ${val.n} samples per prompt will be equal.`;
    report.notice("warning", `${ROLLOUT}.val_kwargs.n`, message);
  }
};

/** Prompts are measured as they will be sent. */
const toolFiles: Rule = (report) => {
  const { data, actor_rollout_ref } = report.config;
  for (const name of ["tool_config_path", "function_tool_path"] as const) {
    const shown = actor_rollout_ref.rollout.multi_turn[name];
    if (data[name] === shown) continue;
    const message =
      `data.${name} has no effect: prompts are measured with the tools that the rollout shows, ` +
      `${ROLLOUT}.multi_turn.${name}=${shown ?? "null"}.`;
    report.notice("warning", `data.${name}`, message);
  }
};

const sampling: Rule = (report) => {
  const { algorithm } = report.config;
  const { filter_groups: filter } = algorithm;
  if (filter.enable && filter.metric === null) {
    report.problem("VERL_CONFIG_CONFLICT", "algorithm.filter_groups.metric", {
      what: "algorithm.filter_groups.enable is true and no metric is named.",
      fix: "Name the reward value to compare, e.g. algorithm.filter_groups.metric=acc.",
    });
  }
};

const kl: Rule = (report) => {
  const { algorithm, actor_rollout_ref } = report.config;
  if (algorithm.use_kl_in_reward && actor_rollout_ref.actor.use_kl_loss) {
    const message = "KL to the reference policy is used twice: in the reward and as a loss.";
    report.notice("notice", "algorithm.use_kl_in_reward", message);
  }
  const { use_kl_loss: used, kl_loss_type: type } = actor_rollout_ref.actor;
  if (used && (type === "kl" || type === "k1")) {
    const key = "actor_rollout_ref.actor.kl_loss_type";
    const message = `The KL loss ${type} has an expected gradient of 0, so it holds nothing back. Use k2, k3 or ${type}+.`;
    report.notice("warning", key, message);
  }
};

/** Samples of rounded weights come from another policy than the one that is trained. */
const quantization: Rule = (report) => {
  const { algorithm, actor_rollout_ref } = report.config;
  const { quantization: chosen } = actor_rollout_ref.rollout;
  const { rollout_is, rollout_rs, bypass_mode } = algorithm.rollout_correction;
  if (chosen === null || rollout_is !== null || rollout_rs !== null || bypass_mode) return;
  const message =
    `Samples are drawn with weights of ${chosen}, so by another policy than the one that is trained, and nothing corrects for it. ` +
    "Set algorithm.rollout_correction.rollout_is=token (with algorithm.rollout_correction.rollout_is_threshold=2.0); " +
    "training/sampler_gap/* says how far the two are apart.";
  report.notice("warning", `${ROLLOUT}.quantization`, message);
};

const resume: Rule = (report) => {
  const { resume_mode: mode, resume_from_path: from } = report.config.trainer;
  if (mode === "resume_path" && !/global_step_\d+[/\\]*$/.test(from ?? "")) {
    report.problem("VERL_CONFIG_CONFLICT", "trainer.resume_from_path", {
      what: `trainer.resume_mode is resume_path, and trainer.resume_from_path is ${JSON.stringify(from)}.`,
      fix: "Name a checkpoint folder, e.g. checkpoints/project/run/global_step_40.",
    });
  } else if (mode !== "resume_path" && from !== null) {
    const message = `trainer.resume_from_path is only used with trainer.resume_mode=resume_path; the mode is ${mode}.`;
    report.notice("warning", "trainer.resume_from_path", message);
  }
};

const deprecated: Rule = (report) => {
  const { rollout, actor } = report.config.actor_rollout_ref;
  const schedule = actor.optim;
  if (schedule.lr_warmup_steps > 0 && schedule.lr_warmup_steps_ratio > 0) {
    const message = "Warm-up is given twice: lr_warmup_steps wins over lr_warmup_steps_ratio.";
    report.notice("notice", "actor_rollout_ref.actor.optim.lr_warmup_steps_ratio", message);
  }
  if (!rollout.calculate_log_probs && report.config.algorithm.rollout_correction.bypass_mode) {
    report.problem("VERL_CONFIG_CONFLICT", `${ROLLOUT}.calculate_log_probs`, {
      what: "algorithm.rollout_correction.bypass_mode uses the sampler's log-probabilities, and they are switched off.",
      fix: `Set ${ROLLOUT}.calculate_log_probs to true.`,
    });
  }
};

export const consistencyRules: readonly Rule[] = [
  toolFiles,
  available,
  zeroAdvantages,
  sampler,
  validation,
  sampling,
  quantization,
  kl,
  resume,
  deprecated,
];

/** Training on groups that carry no signal; whoever only samples or scores may well want one answer. */
const groups: Rule = (report) => {
  const { algorithm, actor_rollout_ref } = report.config;
  const { rollout } = actor_rollout_ref;
  const compares = GROUP_ESTIMATORS.includes(algorithm.adv_estimator);
  if (compares && rollout.n < 2) {
    const message = `${algorithm.adv_estimator} compares samples of one prompt, and ${ROLLOUT}.n is ${rollout.n}: every group has one sample and no signal. Set it to 2 or more, e.g. 8.`;
    report.notice("warning", `${ROLLOUT}.n`, message);
  } else if (compares && (rollout.temperature === 0 || !rollout.do_sample)) {
    const key = rollout.do_sample ? `${ROLLOUT}.temperature` : `${ROLLOUT}.do_sample`;
    const message = `Sampling is greedy, so the ${rollout.n} samples of a prompt are equal and ${algorithm.adv_estimator} has no signal.`;
    report.notice("warning", key, message);
  }
};

/** What a training run needs besides a sound configuration: a model and data. */
const inputs: Rule = (report) => {
  const { data, trainer, actor_rollout_ref } = report.config;
  const { model } = actor_rollout_ref;
  const at = "actor_rollout_ref.model";
  if (model.path === null && model.config === null) {
    report.problem("VERL_CONFIG_CONFLICT", `${at}.path`, {
      what: "No model is named.",
      fix: `Set ${at}.path to a Hugging Face folder or a GGUF file, or ${at}.config for random weights.`,
    });
  } else if (model.path !== null && model.config !== null) {
    report.problem("VERL_CONFIG_CONFLICT", `${at}.config`, {
      what: `${at}.path and ${at}.config are both set.`,
      fix: "Keep the path for trained weights, or the config for random ones.",
    });
  } else if (model.path === null && model.tokenizer_path === null) {
    report.problem("VERL_CONFIG_CONFLICT", `${at}.tokenizer_path`, {
      what: `${at}.config has no tokenizer of its own.`,
      fix: `Set ${at}.tokenizer_path.`,
    });
  }
  const readsFiles = data.dataset === "rlhf" && data.custom_cls.path === null;
  if (!trainer.val_only && readsFiles && data.train_files.length === 0) {
    report.problem("VERL_CONFIG_CONFLICT", "data.train_files", {
      what: "No training data is named.",
      fix: "Set data.train_files to a .parquet, .jsonl or .json file.",
    });
  }
  if (data.val_files.length > 0) return;
  if (trainer.test_freq > 0 || trainer.val_only) {
    const key = trainer.val_only ? "trainer.val_only" : "trainer.test_freq";
    report.problem("VERL_CONFIG_CONFLICT", "data.val_files", {
      what: `${key} asks for validation, and no validation data is named.`,
      fix: "Set data.val_files.",
    });
  } else if (trainer.val_before_train && report.isSet("trainer.val_before_train")) {
    report.notice("notice", "data.val_files", "No validation data is named, so nothing is validated.");
  }
};

export const inputRules: readonly Rule[] = [inputs];
export const groupRules: readonly Rule[] = [groups];
