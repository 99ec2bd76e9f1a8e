import {
  ACTOR,
  type KnownKey,
  MODEL,
  modelOption,
  noEffect,
  REF,
  ROLLOUT,
  sections,
  serverOption,
  under,
  unsupported,
} from "./known-key.js";

const engineOption = "an option of verl's PyTorch engines; an engine's own options are under engine_kwargs";
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

/** Keys that verl has and the schema has not. */
export const knownKeys: readonly KnownKey[] = [
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
