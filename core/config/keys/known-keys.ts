import { DEFAULT, fromPlain, type Node, type Path, pathText } from "../compose/tree.js";
import { inVerl, type Since } from "./deprecation.js";

/**
 * Keys of verl that are not part of the schema. They count as existing, so that a verl user's files and overrides carry
 * over. `noEffect`: accepted, reported once. `unsupported`: accepted with a value that changes nothing (listed), an error
 * with any other, because ignoring it would change results.
 */
export interface KnownKey {
  readonly key: string;
  /** Default in verl. */
  readonly verl: unknown;
  readonly note: string;
  /** Values that change nothing; absent: any value. */
  readonly allowed?: readonly unknown[];
  /** The whole section, with whatever keys it has. */
  readonly section?: true;
  /** Of a key that verl itself has no more: since when, and what took its place, if something did. */
  readonly removed?: { readonly since: Since; readonly instead?: string };
}

const noEffect = (note: string, values: Record<string, unknown>): KnownKey[] =>
  Object.entries(values).map(([key, verl]) => ({ key, verl, note }));
const sections = (note: string, ...keys: string[]): KnownKey[] =>
  keys.map((key) => ({ key, verl: {}, note, section: true as const }));
const unsupported = (note: string, values: Record<string, readonly [unknown, ...unknown[]]>): KnownKey[] =>
  Object.entries(values).map(([key, allowed]) => ({ key, verl: allowed[0], note, allowed }));
/** Keys of older versions of verl. `allowed` as in `unsupported`; without it any value is passed over. */
const removed = (
  since: Since,
  keys: Record<string, { verl: unknown; note: string; instead?: string; allowed?: readonly unknown[] }>,
): KnownKey[] =>
  Object.entries(keys).map(([key, { instead, ...entry }]) => ({
    key,
    ...entry,
    removed: { since, ...(instead ? { instead } : {}) },
  }));
const under = <T>(prefix: string, values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}.${key}`, value]));

const ACTOR = "actor_rollout_ref.actor";
const REF = "actor_rollout_ref.ref";
const ROLLOUT = "actor_rollout_ref.rollout";
const MODEL = "actor_rollout_ref.model";

const engineOption = "an option of verl's PyTorch engines; an engine's own options are under engine_kwargs";
const serverOption = "an option of verl's GPU servers; a server's own options are under rollout.engine_kwargs";
const modelOption = "an option of verl's PyTorch models";
const oneProcess = "models are not split over devices, and one server samples";

const ENGINE_SECTIONS = ["fsdp_config", "megatron", "veomni", "torchtitan", "automodel", "mindspeed", "profiler"];
const ENGINE_OPTIONS = {
  use_torch_compile: true,
  use_fused_kernels: false,
  freeze_vision_tower: false,
  use_remove_padding: true,
  entropy_from_logits_with_chunking: false,
  entropy_checkpointing: false,
  pad_to_length: false,
  use_prefix_grouper: false,
  rollout_n: 1,
};
const OPTIMIZER_CODE = {
  optimizer_impl: ["torch.optim", null],
  override_optimizer_config: [null],
} as const;
const MODEL_OPTIONS = {
  hf_config_path: null,
  trust_remote_code: false,
  use_shm: false,
  enable_gradient_checkpointing: true,
  enable_activation_offload: false,
  use_remove_padding: true,
  use_liger: false,
  use_fused_kernels: false,
};

/** Of the days when reward models were trained in workers of their own. */
const OLD_REWARD_MODEL = [
  "model",
  "profiler",
  "megatron",
  "forward_max_token_len_per_gpu",
  "use_dynamic_bsz",
  "launch_reward_fn_async",
  "max_length",
  "micro_batch_size",
  "micro_batch_size_per_gpu",
  "ulysses_sequence_parallel_size",
];

const ONE_PIECE = [null, "auto", "cpu"] as const;
const PLACEMENT = { device: ONE_PIECE, device_map: ONE_PIECE, deviceMap: ONE_PIECE };

const table: readonly KnownKey[] = [
  ...sections("verl's own composition of files", "hydra"),
  ...sections("Ray is not used", "ray_kwargs", "ray_init"),
  ...sections("profiling is done by the engine", "global_profiler", `${ROLLOUT}.profiler`),
  ...sections(engineOption, ...ENGINE_SECTIONS.flatMap((name) => [ACTOR, REF, "critic"].map((at) => `${at}.${name}`))),
  ...sections(modelOption, `${MODEL}.fused_kernel_options`, `${MODEL}.tiled_mlp`),
  ...sections(modelOption, "critic.model.fused_kernel_options", "critic.model.tiled_mlp"),
  ...sections("an option of verl's Megatron engine", "critic.model.lora"),

  ...noEffect("there is one trainer stack", { "trainer.use_v1": true }),
  ...noEffect("the default trainer ignores it in verl, too", {
    "trainer.balance_batch": true,
    "trainer.esi_redundant_time": 0,
  }),
  ...noEffect("Ray is not used", { "trainer.ray_wait_register_center_timeout": 300 }),
  ...noEffect("there is no HDFS client", {
    "trainer.default_hdfs_dir": null,
    "trainer.del_local_ckpt_after_load": false,
  }),
  ...noEffect("the loader reads in the trainer's process", under("data", { dataloader_num_workers: 8 })),
  ...noEffect("prompts are measured in the trainer's process", under("data", { filter_overlong_prompts_workers: 1 })),
  ...noEffect("verl reads it without effect", {
    ...under("data", { return_raw_chat: true, return_raw_input_ids: false, return_full_prompt: false }),
  }),
  ...noEffect(
    "the model's processor prepares media",
    under("data", { return_multi_modal_inputs: true, image_patch_size: 14 }),
  ),
  ...noEffect("the tokenizer is the model's, see model.tokenizer_path", { "data.tokenizer": null }),
  ...noEffect("no code from model repositories is run", {
    ...under("data", { trust_remote_code: false, use_shm: false }),
  }),
  ...noEffect("actor and rollout always share the process in mode sync", { "actor_rollout_ref.hybrid_engine": true }),
  ...noEffect("no NCCL group is made", { "actor_rollout_ref.nccl_timeout": 600 }),
  ...noEffect(engineOption, { ...under(ACTOR, ENGINE_OPTIONS), ...under(REF, ENGINE_OPTIONS) }),
  ...noEffect(engineOption, under("critic", { ...ENGINE_OPTIONS, nccl_timeout: 600, forward_micro_batch_size: null })),
  ...noEffect(engineOption, {
    [`${ACTOR}.checkpoint.strict`]: true,
    "critic.checkpoint.strict": true,
    "critic.forward_micro_batch_size_per_gpu": null,
  }),
  ...noEffect("saving is synchronous; the checkpoint is complete when the step ends", {
    [`${ACTOR}.checkpoint.async_save`]: false,
    "critic.checkpoint.async_save": false,
  }),
  ...noEffect(modelOption, { ...under(MODEL, MODEL_OPTIONS), ...under("critic.model", MODEL_OPTIONS) }),
  ...noEffect(
    serverOption,
    under(ROLLOUT, {
      free_cache_engine: true,
      gpu_memory_utilization: 0.5,
      standalone_gpu_memory_utilization: null,
      load_format: "dummy",
      enforce_eager: false,
      dtype: "bfloat16",
      enable_chunked_prefill: true,
      enable_prefix_caching: true,
      scheduling_policy: "fcfs",
      disable_log_stats: true,
      max_num_batched_tokens: 8192,
      multi_stage_wake_up: false,
      layered_summon: false,
      skip_tokenizer_init: false,
      moe_load_balance_metrics_interval: 0,
    }),
  ),
  ...noEffect("both log-probabilities are recorded", { [`${ROLLOUT}.logprobs_mode`]: "processed_logprobs" }),
  ...noEffect("verl's older trainers only", { [`${ROLLOUT}.checkpoint_manager_class`]: null }),
  ...noEffect("tokens are never re-encoded, so there is nothing to compare", {
    ...under(`${ROLLOUT}.multi_turn`, { tokenization_sanity_check_mode: "strict", use_inference_chat_template: false }),
  }),
  ...noEffect("the queue is always used", { "transfer_queue.enable": false }),
  ...sections("an option of verl's queue", "transfer_queue.metrics", "transfer_queue.backend.SimpleStorage"),
  ...sections("an option of verl's queue", "transfer_queue.backend.MooncakeStore"),

  ...unsupported("max_actor_ckpt_to_keep=1 and max_critic_ckpt_to_keep=1 say the same", {
    "trainer.remove_previous_ckpt_in_save": [false, null],
  }),
  ...unsupported("only asynchronous servers exist, in verl too since 2025-12 (verl#4411)", {
    [`${ROLLOUT}.mode`]: ["async"],
  }),
  ...unsupported(oneProcess, {
    ...under(ACTOR, { ulysses_sequence_parallel_size: [1] as const }),
    ...under(REF, { ulysses_sequence_parallel_size: [1] as const }),
    "critic.ulysses_sequence_parallel_size": [1],
    ...under(ROLLOUT, {
      data_parallel_size: [1] as const,
      expert_parallel_size: [1] as const,
      pipeline_model_parallel_size: [1] as const,
      nnodes: [0] as const,
      n_gpus_per_node: [1] as const,
    }),
  }),
  ...unsupported("over-sampling is done by a hook (onSampleBegin)", { [`${ROLLOUT}.over_sample_rate`]: [0] }),
  ...unsupported("rollout.quantization names all that there is to choose", {
    [`${ROLLOUT}.quantization_config_file`]: [null],
  }),
  ...unsupported("mixture-of-experts models are not available", {
    [`${ROLLOUT}.enable_rollout_routing_replay`]: [false],
    ...under(`${ACTOR}.router_replay`, {
      mode: ["disabled"] as const,
      record_file: [null] as const,
      replay_file: [null] as const,
    }),
    ...under(`${REF}.router_replay`, {
      mode: ["disabled"] as const,
      record_file: [null] as const,
      replay_file: [null] as const,
    }),
  }),
  ...unsupported("separate prefill and decode servers are not available", {
    [`${ROLLOUT}.disaggregation.enabled`]: [false],
  }),
  ...sections("no effect while disaggregation is off", `${ROLLOUT}.disaggregation`),
  ...unsupported("verl reserves it", { [`${ROLLOUT}.multi_turn.num_repeat_rollouts`]: [null] }),
  ...unsupported("name a registered rollout in rollout.name", {
    ...under(`${ROLLOUT}.agent.custom_async_server`, { path: [null] as const, name: [null] as const }),
  }),
  ...unsupported("transfer engines come as plugins", {
    [`${ROLLOUT}.checkpoint_engine.custom_backend_module`]: [null],
  }),
  ...unsupported("set lora_rank, lora_alpha and target_modules of the model, without dropout", {
    ...under(`${MODEL}.lora`, { rank: [0] as const, dropout: [0] as const }),
    ...under("critic.model.lora", { rank: [0] as const, dropout: [0] as const }),
  }),
  ...sections("an option of verl's Megatron engine", `${MODEL}.lora`),
  ...unsupported("optimizers are built in, and their settings are keys of optim", {
    ...under(`${ACTOR}.optim`, OPTIMIZER_CODE),
    ...under("critic.optim", OPTIMIZER_CODE),
  }),
  // Not verl's: what users of transformers try.
  ...unsupported("a model is in one piece on the device of trainer.device; an engine for other hardware is a plugin", {
    ...under(MODEL, PLACEMENT),
    ...under("critic.model", PLACEMENT),
  }),
  ...unsupported("multi-token prediction is not available", {
    ...under(`${MODEL}.mtp`, {
      enable: [false] as const,
      enable_train: [false] as const,
      enable_rollout: [false] as const,
    }),
  }),
  ...sections("no effect while mtp is off", `${MODEL}.mtp`),
  ...noEffect("there are no pools of devices: a reward model shares this machine, or runs on servers of its own", {
    "reward.reward_model.n_gpus_per_node": 8,
    "reward.reward_model.nnodes": 0,
  }),
  ...sections("servers are started elsewhere, with options of their own", "reward.reward_model.rollout"),
  ...sections("an option of older versions of verl", ...OLD_REWARD_MODEL.map((name) => `reward.reward_model.${name}`)),
  ...unsupported("distillation is not available", { "distillation.enabled": [false] }),
  ...sections("no effect while distillation is off", "distillation"),
  ...unsupported("replay of dumped rollouts is not available", {
    ...under("skip", {
      "rollout.enable": [false] as const,
      "rollout_tq.enable": [false] as const,
      "async_rollout.enable": [false] as const,
    }),
  }),
  ...sections("no effect while nothing is skipped", "skip"),
  ...sections("options of modes that are not available", "trainer.v1.colocate_async", "trainer.v1.separate_async"),
  ...unsupported("a data set keeps its rows while a run trains; data.dataset and data.custom_cls make them", {
    ...under("data.datagen", { path: [null] as const, name: [null] as const }),
  }),
];

/** Keys that verl has had and gave up. */
const gone: readonly KnownKey[] = [
  ...removed(inVerl("2026-03", "verl#5604"), {
    "trainer.use_legacy_worker_impl": { verl: "auto", note: "there is one implementation of the workers" },
  }),
  ...removed(inVerl("2026-02", "verl#5255"), {
    "reward.reward_model.use_reward_loop": { verl: null, note: "every trajectory is scored as it ends" },
  }),
  ...removed(inVerl("2025 or 2026"), {
    [`${ROLLOUT}.skip_rollout`]: {
      verl: false,
      note: "replay of dumped rollouts is not available; `verl debug train --data` trains on recorded ones",
      allowed: [false, null],
    },
    [`${ROLLOUT}.skip_dump_dir`]: { verl: null, note: "it belonged to skip_rollout" },
    [`${ROLLOUT}.use_fire_sampling`]: { verl: false, note: "that sampling is not available", allowed: [false, null] },
    [`${ROLLOUT}.cudagraph_capture_sizes`]: { verl: null, note: serverOption },
    [`${MODEL}.return_last_hidden_state`]: { verl: false, note: modelOption },
    [`${MODEL}.use_fused_loss`]: { verl: false, note: modelOption },
    [`${REF}.model`]: {
      verl: null,
      note: "the reference policy is the model that training begins with",
      allowed: [null],
    },
  }),
  ...removed(inVerl("2025-12", "verl#4511"), {
    "algorithm.rollout_correction.use_policy_gradient": {
      verl: false,
      note: "loss_type: reinforce says the same",
      instead: "algorithm.rollout_correction.loss_type",
      allowed: [false, null],
    },
  }),
  ...removed(inVerl("2025-11", "verl#3984"), {
    "algorithm.rollout_is": {
      verl: false,
      note: "the correction has a section of its own, and names its level, as in rollout_is: token",
      instead: "algorithm.rollout_correction.rollout_is",
      allowed: [false, null],
    },
    "algorithm.rollout_is_threshold": {
      verl: null,
      note: "the correction has a section of its own",
      instead: "algorithm.rollout_correction.rollout_is_threshold",
      allowed: [null],
    },
    ...Object.fromEntries(
      ["threshold_lower", "level", "mode", "veto_threshold"].map((name) => [
        `algorithm.rollout_is_${name}`,
        { verl: null, note: "it belonged to rollout_is", instead: "algorithm.rollout_correction" },
      ]),
    ),
  }),
  ...removed(inVerl("2025-10", "verl#3694"), {
    [`${ACTOR}.tis_imp_ratio_cap`]: {
      verl: -1,
      note: "the correction has a section of its own: rollout_is: token with this threshold",
      instead: "algorithm.rollout_correction.rollout_is_threshold",
      allowed: [-1, null],
    },
  }),
  ...removed(inVerl("2025-08", "verl#2894"), {
    ...Object.fromEntries(
      ["profile_steps", "controller_nsight_options", "worker_nsight_options", "npu_profile"].map((name) => [
        `trainer.${name}`,
        { verl: null, note: "`verl profile` says where the time goes" },
      ]),
    ),
  }),
  ...removed(inVerl("2025-07", "verl#2725"), {
    [`${ROLLOUT}.chat_scheduler`]: {
      verl: null,
      note: "agent loops took its place",
      instead: `${ROLLOUT}.agent.agent_loop_config_path`,
      allowed: [null],
    },
    [`${ROLLOUT}.multi_turn.completion_callback`]: {
      verl: null,
      note: "agent loops took its place",
      instead: `${ROLLOUT}.agent.agent_loop_config_path`,
      allowed: [null],
    },
  }),
];

const exact = new Map([...table, ...gone].filter((entry) => !entry.section).map((entry) => [entry.key, entry]));
const open = new Map(table.filter((entry) => entry.section).map((entry) => [entry.key, entry]));

export const knownKeys: readonly KnownKey[] = table;
/** Those that nobody should write any more. */
export const removedKeys: readonly KnownKey[] = gone;

/** In files that verl generates, in every section. */
const CLASS_NAME: KnownKey = { key: "_target_", verl: null, note: "it names a Python class" };

/** The entry for a path: its own, or that of the section that it lies in. */
export function knownKey(path: Path): KnownKey | null {
  if (path.at(-1) === CLASS_NAME.key) return CLASS_NAME;
  const own = exact.get(pathText(path));
  if (own) return own;
  for (let i = path.length; i > 0; i--) {
    const section = open.get(pathText(path.slice(0, i)));
    if (section) return section;
  }
  return null;
}

/** Whether known keys lie below this path. */
export function holdsKnownKeys(path: Path): boolean {
  const prefix = `${pathText(path)}.`;
  return [...exact.keys(), ...open.keys()].some((key) => key.startsWith(prefix));
}

/** verl's default, for references to a key that has no meaning here. */
export function verlDefault(path: Path): Node | null {
  const entry = exact.get(pathText(path));
  return entry ? fromPlain(entry.verl, DEFAULT) : null;
}
