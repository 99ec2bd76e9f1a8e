import { nearestName } from "../host/util/nearest.js";
import type { ConfigReader } from "./config-reader.js";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Of every `config.json` of `transformers`, and what its families read or keep: they change no numbers here, or are refused by name. */
const USUAL = new Set(
  words(`
  architectures auto_map model_type dtype torch_dtype transformers_version unsloth_version unsloth_fixed attn_implementation
  initializer_range use_cache return_dict use_return_dict output_attentions output_hidden_states is_decoder cross_attention_hidden_size
  chunk_size_feed_forward pruned_heads torchscript use_bfloat16 tf_legacy_loss tokenizer_class prefix problem_type finetuning_task
  task_specific_params id2label label2id num_labels classifier_dropout token_classification_bias gradient_checkpointing
  bos_token_id eos_token_id pad_token_id sep_token_id unk_token_id mask_token_id cls_token_id decoder_start_token_id
  attention_dropout hidden_dropout hidden_dropout_prob resid_pdrop embd_pdrop attn_pdrop dropout
  summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj
  temperature top_k top_p typical_p repetition_penalty length_penalty max_length min_length do_sample early_stopping num_beams
  num_beam_groups diversity_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids num_return_sequences
  output_scores return_dict_in_generate remove_invalid_values exponential_decay_length_penalty suppress_tokens begin_suppress_tokens
  forced_bos_token_id forced_eos_token_id cache_implementation keys_to_ignore_at_inference base_model_tp_plan base_model_pp_plan
  pretraining_tp model_max_length max_sequence_length seq_length vocab_size hidden_size intermediate_size num_hidden_layers
  num_attention_heads num_key_value_heads head_dim max_position_embeddings original_max_position_embeddings hidden_act
  hidden_activation activation_function rms_norm_eps layer_norm_eps layer_norm_epsilon tie_word_embeddings rope_theta rope_scaling
  rope_parameters rope_local_base_freq partial_rotary_factor use_sliding_window sliding_window sliding_window_pattern
  max_window_layers layer_types n_embd n_head n_inner n_layer n_positions n_ctx n_special reorder_and_upcast_attn predict_special_tokens
  scale_attn_weights scale_attn_by_inverse_layer_idx query_pre_attn_scalar attn_logit_softcapping final_logit_softcapping
  scale_emb scale_depth dim_model_base is_llama_config mlp_bias attention_bias use_mrope rope_interleaved
`),
);

/**
 * Members that nothing reads and no `config.json` has, of a configuration that somebody wrote by hand: what a slip of a finger
 * leaves out would stay at its default without a word. Files from elsewhere hold much of their own, and are not judged.
 */
export function refuseUnknownMembers(config: ConfigReader, guarded: readonly string[]): void {
  for (const key of Object.keys(config.raw)) {
    if (config.wasAsked(key) || USUAL.has(key) || guarded.includes(key) || key.startsWith("_")) continue;
    const meant = nearestName(key, [...config.members, ...USUAL]);
    throw config.invalid(
      `${key} is no member of a config.json of this family.${meant === null ? "" : ` Did you mean "${meant}"?`}`,
      key,
    );
  }
}
