/** What differs between the examples' models. */
export interface SmallLlama {
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  /** Longest sequence in tokens. */
  readonly context: number;
}

/**
 * The configuration of a Llama-style model of one or two million parameters, with heads of width 32. The examples' tokenizers
 * put padding and the end of a turn first.
 */
export function smallLlama({ vocabulary, width, layers, context }: SmallLlama) {
  const heads = width / 32;
  return {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: vocabulary,
    hidden_size: width,
    intermediate_size: Math.round((width * 8) / 3 / 64) * 64,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: heads,
    max_position_embeddings: context,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    hidden_act: "silu",
    tie_word_embeddings: false,
    bos_token_id: null,
    eos_token_id: 1,
    pad_token_id: 0,
  };
}
