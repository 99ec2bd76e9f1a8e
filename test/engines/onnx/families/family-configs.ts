const SIZES = {
  vocab_size: 61,
  hidden_size: 24,
  intermediate_size: 40,
  num_hidden_layers: 2,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  head_dim: 16,
  max_position_embeddings: 512,
};
const LLAMA_3 = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
const GEMMA = { ...SIZES, query_pre_attn_scalar: 10, sliding_window: 7, sliding_window_pattern: 2 };

/** A small model of every family, with windows shorter than the sequences that tests draw. */
export const FAMILY_CONFIGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  gpt2: { model_type: "gpt2", vocab_size: 61, n_embd: 24, n_head: 3, n_layer: 2, n_positions: 512 },
  llama: {
    ...SIZES,
    model_type: "llama",
    attention_bias: true,
    mlp_bias: true,
    rope_scaling: { ...LLAMA_3, original_max_position_embeddings: 16 },
  },
  minicpm: { ...SIZES, model_type: "minicpm", scale_emb: 12, scale_depth: 1.4, dim_model_base: 12 },
  mistral: { ...SIZES, model_type: "mistral", sliding_window: 7 },
  qwen2: { ...SIZES, model_type: "qwen2", use_sliding_window: true, sliding_window: 7, max_window_layers: 1 },
  qwen3: { ...SIZES, model_type: "qwen3", tie_word_embeddings: true },
  gemma: { ...SIZES, model_type: "gemma" },
  gemma2: { ...GEMMA, model_type: "gemma2", attn_logit_softcapping: 2, final_logit_softcapping: 3 },
  gemma3_text: { ...GEMMA, model_type: "gemma3_text", rope_local_base_freq: 100 },
};
