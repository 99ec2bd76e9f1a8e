import { expect } from "chai";
import { configKeys } from "../../../../core/config/index.js";
import { compose, inspect } from "../support.js";

/** Every key of verl's configuration, as `section: names`. */
const VERL = `
trainer: use_v1 total_epochs total_training_steps project_name experiment_name logger log_val_generations rollout_data_dir validation_data_dir nnodes n_gpus_per_node device save_freq test_freq val_before_train val_only critic_warmup resume_mode resume_from_path default_local_dir default_hdfs_dir del_local_ckpt_after_load max_actor_ckpt_to_keep max_critic_ckpt_to_keep esi_redundant_time balance_batch ray_wait_register_center_timeout checkpoint_callback_class remove_previous_ckpt_in_save wandb_proxy
trainer.v1: trainer_mode sync colocate_async.num_warmup_batches separate_async.num_warmup_batches separate_async.parameter_sync_step separate_async.hybrid_rollout.enable_switch separate_async.hybrid_rollout.switch_threshold_ratio
trainer.v1.sampler: max_off_policy_threshold max_off_policy_strategy sync_refill_failed_groups custom_sampler.path custom_sampler.name sampler_kwargs
data: train_files val_files train_max_samples val_max_samples train_batch_size gen_batch_size val_batch_size max_prompt_length max_response_length prompt_key reward_fn_key image_key video_key audio_key image_patch_size shuffle seed validation_shuffle dataloader_num_workers filter_overlong_prompts filter_overlong_prompts_workers truncation return_raw_chat return_raw_input_ids return_full_prompt return_multi_modal_inputs tool_config_path function_tool_path apply_chat_template_kwargs mm_processor_kwargs custom_cls.path custom_cls.name tokenizer use_shm trust_remote_code sampler.class_path sampler.class_name datagen.path datagen.name
algorithm: adv_estimator gamma lam norm_adv_by_std_in_grpo use_kl_in_reward kl_penalty kl_ctrl.type kl_ctrl.kl_coef kl_ctrl.horizon kl_ctrl.target_kl filter_groups.enable filter_groups.metric filter_groups.max_num_gen_batches filter_groups.max_inflight_gen_batches use_pf_ppo pf_ppo.reweight_method pf_ppo.weight_pow
algorithm.rollout_correction: rollout_is rollout_is_threshold rollout_rs rollout_rs_threshold bypass_mode loss_type rollout_is_batch_normalize
actor_rollout_ref: hybrid_engine nccl_timeout
actor_rollout_ref.actor: strategy fsdp_config.param_offload megatron.tensor_model_parallel_size veomni.x torchtitan.x ppo_mini_batch_size ppo_micro_batch_size ppo_micro_batch_size_per_gpu use_dynamic_bsz ppo_max_token_len_per_gpu clip_ratio clip_ratio_low clip_ratio_high clip_ratio_c tau_pos tau_neg loss_agg_mode loss_scale_factor entropy_coeff calculate_entropy calculate_sum_pi_squared use_kl_loss kl_loss_coef kl_loss_type ppo_epochs shuffle data_loader_seed grad_clip rollout_n router_replay.mode router_replay.record_file router_replay.replay_file use_torch_compile use_fused_kernels freeze_vision_tower use_remove_padding ulysses_sequence_parallel_size entropy_from_logits_with_chunking entropy_checkpointing pad_to_length use_prefix_grouper
actor_rollout_ref.actor.policy_loss: loss_mode clip_cov_ratio clip_cov_lb clip_cov_ub kl_cov_ratio ppo_kl_coef dro_beta
actor_rollout_ref.actor.checkpoint: save_contents load_contents async_save strict
actor_rollout_ref.actor.optim: lr weight_decay betas clip_grad lr_warmup_steps lr_warmup_steps_ratio lr_scheduler_type min_lr_ratio num_cycles total_training_steps
actor_rollout_ref.ref: strategy log_prob_micro_batch_size log_prob_micro_batch_size_per_gpu log_prob_use_dynamic_bsz log_prob_max_token_len_per_gpu rollout_n use_torch_compile router_replay.mode fsdp_config.param_offload ulysses_sequence_parallel_size
actor_rollout_ref.rollout: name mode nnodes n_gpus_per_node temperature top_p top_k do_sample n prompt_length response_length max_model_len max_num_batched_tokens max_num_seqs seed full_determinism ignore_eos calculate_log_probs logprobs_mode log_prob_micro_batch_size log_prob_micro_batch_size_per_gpu log_prob_use_dynamic_bsz log_prob_max_token_len_per_gpu free_cache_engine gpu_memory_utilization standalone_gpu_memory_utilization load_format enforce_eager dtype enable_chunked_prefill enable_prefix_caching scheduling_policy disable_log_stats tensor_model_parallel_size data_parallel_size expert_parallel_size pipeline_model_parallel_size over_sample_rate multi_stage_wake_up layered_summon skip_tokenizer_init quantization quantization_config_file enable_rollout_routing_replay moe_load_balance_metrics_interval checkpoint_manager_class engine_kwargs trace.backend trace.token2text trace.max_samples_per_step_per_worker trace.project_name trace.experiment_name prometheus.enable prometheus.port prometheus.served_model_name disaggregation.enabled disaggregation.prefill_replicas
actor_rollout_ref.rollout.val_kwargs: temperature top_p top_k n do_sample
actor_rollout_ref.rollout.multi_turn: enable max_assistant_turns max_user_turns max_parallel_calls max_tool_response_length tool_response_truncate_side tool_config_path function_tool_path format use_inference_chat_template tokenization_sanity_check_mode num_repeat_rollouts
actor_rollout_ref.rollout.agent: num_workers default_agent_loop agent_loop_config_path agent_loop_manager_class custom_async_server.path custom_async_server.name
actor_rollout_ref.rollout.checkpoint_engine: backend update_weights_bucket_megabytes engine_kwargs custom_backend_module
actor_rollout_ref.model: path hf_config_path tokenizer_path trust_remote_code use_shm custom_chat_template external_lib override_config enable_gradient_checkpointing enable_activation_offload use_remove_padding lora_rank lora_alpha target_modules exclude_modules lora_adapter_path lora.rank lora.alpha use_liger use_fused_kernels fused_kernel_options.impl_backend tiled_mlp.enabled mtp.enable mtp.enable_train
critic: enable strategy ppo_mini_batch_size ppo_micro_batch_size ppo_micro_batch_size_per_gpu use_dynamic_bsz ppo_max_token_len_per_gpu forward_max_token_len_per_gpu ppo_epochs shuffle data_loader_seed cliprange_value loss_agg_mode grad_clip optim.lr checkpoint.save_contents rollout_n model.path model.tokenizer_path model.lora_rank model.use_remove_padding
reward: num_workers custom_reward_function.path custom_reward_function.name custom_reward_function.reward_kwargs reward_manager.source reward_manager.name reward_manager.module.path reward_manager.module.name reward_model.enable reward_model.enable_resource_pool reward_model.n_gpus_per_node reward_model.nnodes reward_model.model_path reward_model.rollout.name sandbox_fusion.url sandbox_fusion.max_concurrent sandbox_fusion.memory_limit_mb reward_kwargs
distillation: enabled n_gpus_per_node nnodes teacher_key distillation_loss.loss_mode distillation_loss.topk teacher_models.default.key
transfer_queue: enable metrics.enabled metrics.port backend.storage_backend backend.SimpleStorage.total_storage_size backend.MooncakeStore.protocol
skip: rollout.enable rollout_tq.enable rollout_tq.dump_dir async_rollout.enable
ray_kwargs: ray_init.num_cpus ray_init.runtime_env timeline_json_file
global_profiler: tool steps profile_continuous_steps save_path
reward_model: enable reward_manager
custom_reward_function: path name
sandbox_fusion: url
`;

const keys = VERL.trim()
  .split("\n")
  .flatMap((line) => {
    const [section, names] = line.split(": ");
    return names.split(" ").map((name) => `${section}.${name}`);
  });

describe("verl's keys", () => {
  it("all count as existing: an override of any needs no +", async () => {
    const failures: string[] = [];
    for (const key of keys) {
      await compose([`${key}=null`]).catch((error: Error) => failures.push(`${key}: ${error.message}`));
    }
    expect(failures).to.deep.equal([]);
  });

  it("are accepted with verl's own defaults where these change nothing", async () => {
    const { problems } = await inspect([
      "trainer.use_v1=True",
      "trainer.balance_batch=True",
      "data.dataloader_num_workers=8",
      "data.truncation=error",
      "actor_rollout_ref.hybrid_engine=True",
      "actor_rollout_ref.actor.ulysses_sequence_parallel_size=1",
      "actor_rollout_ref.actor.router_replay.mode=disabled",
      "actor_rollout_ref.model.enable_gradient_checkpointing=True",
      "actor_rollout_ref.model.lora_rank=0",
      "actor_rollout_ref.rollout.enforce_eager=False",
      "actor_rollout_ref.rollout.over_sample_rate=0",
      "reward.reward_model.enable=False",
      "distillation.enabled=False",
      "transfer_queue.enable=False",
      "skip.rollout_tq.enable=False",
    ]);
    expect(problems).to.deep.equal([]);
  });

  it("say why a default here is another one", () => {
    const own = configKeys.filter(({ key }) => !keys.includes(key) && !keys.some((k) => k.startsWith(`${key}.`)));
    const silent = own.filter(({ differs, path }) => !differs && path[0] !== "critic").map(({ key }) => key);
    expect(silent).to.deep.equal([]);
  });
});
