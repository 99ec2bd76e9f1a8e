import type { JsonObject } from "../config-reader.js";
import type { GgufMetadata } from "./gguf-metadata.js";
import { ropeConfig } from "./gguf-rope.js";

/** How GGUF describes and stores a family, told by `general.architecture`. */
export interface GgufArchitecture {
  /** Queries and keys are stored for a kernel that rotates neighbouring rows. */
  readonly isInterleaved: boolean;
  /** The description in the form of `config.json`, so that one parser judges all files. */
  config(metadata: GgufMetadata): Promise<JsonObject>;
}

const llama: GgufArchitecture = {
  isInterleaved: true,
  async config(metadata) {
    // Mistral is published under this name as well.
    const window = metadata.get("attention.sliding_window");
    return {
      ...(await rotaryDecoder(metadata)),
      ...(window === undefined ? { model_type: "llama" } : { model_type: "mistral", sliding_window: window }),
      attention_bias: metadata.has("blk.0.attn_q.bias"),
      mlp_bias: metadata.has("blk.0.ffn_up.bias"),
    };
  },
};

const minicpm: GgufArchitecture = {
  isInterleaved: true,
  async config(metadata) {
    const decoder = await rotaryDecoder(metadata);
    return {
      ...decoder,
      model_type: "minicpm",
      attention_bias: metadata.has("blk.0.attn_q.bias"),
      scale_emb: metadata.required("embedding_scale"),
      scale_depth: metadata.required("residual_scale") * Math.sqrt(metadata.required("block_count")),
      dim_model_base: Math.round(metadata.required("embedding_length") / metadata.required("logit_scale")),
    };
  },
};

const qwen2: GgufArchitecture = {
  isInterleaved: false,
  config: async (metadata) => ({ ...(await rotaryDecoder(metadata)), model_type: "qwen2" }),
};

const qwen3: GgufArchitecture = {
  isInterleaved: false,
  config: async (metadata) => ({
    ...(await rotaryDecoder(metadata)),
    model_type: "qwen3",
    attention_bias: metadata.has("blk.0.attn_q.bias"),
  }),
};

const gemma: GgufArchitecture = {
  isInterleaved: false,
  config: async (metadata) => ({ ...(await rotaryDecoder(metadata)), model_type: "gemma" }),
};

const gemma2: GgufArchitecture = {
  isInterleaved: false,
  config: async (metadata) => ({
    ...(await rotaryDecoder(metadata)),
    model_type: "gemma2",
    sliding_window: metadata.get("attention.sliding_window") ?? 4096,
    ...slidingLayers(metadata),
    query_pre_attn_scalar: attentionScalar(metadata, 46),
    attn_logit_softcapping: metadata.number("attn_logit_softcapping") ?? 50,
    final_logit_softcapping: metadata.number("final_logit_softcapping") ?? 30,
  }),
};

const gemma3: GgufArchitecture = {
  isInterleaved: false,
  config: async (metadata) => ({
    ...(await rotaryDecoder(metadata)),
    model_type: "gemma3_text",
    sliding_window: metadata.required("attention.sliding_window"),
    ...slidingLayers(metadata),
    rope_local_base_freq: metadata.number("rope.freq_base_swa") ?? 10000,
    query_pre_attn_scalar: attentionScalar(metadata, 62),
    final_logit_softcapping: metadata.number("final_logit_softcapping") ?? null,
  }),
};

const gpt2: GgufArchitecture = {
  isInterleaved: false,
  config: async (metadata) => ({
    model_type: "gpt2",
    vocab_size: metadata.matrixShape("token_embd.weight")[0],
    n_embd: metadata.get("embedding_length"),
    n_head: metadata.get("attention.head_count"),
    n_inner: metadata.get("feed_forward_length"),
    n_layer: metadata.get("block_count"),
    n_positions: metadata.get("context_length"),
    layer_norm_epsilon: metadata.number("attention.layer_norm_epsilon"),
    activation_function: "gelu_new",
    tie_word_embeddings: !metadata.has("output.weight"),
  }),
};

export const GGUF_ARCHITECTURES: ReadonlyMap<string, GgufArchitecture> = new Map(
  Object.entries({ llama, minicpm, qwen2, qwen3, gemma, gemma2, gemma3, gpt2 }),
);

/** What all decoders with rotary positions have. */
async function rotaryDecoder(metadata: GgufMetadata): Promise<JsonObject> {
  const hiddenSize = metadata.required("embedding_length");
  const numHeads = metadata.required("attention.head_count");
  const headDim = metadata.number("attention.key_length") ?? hiddenSize / numHeads;
  const rotated = metadata.number("rope.dimension_count") ?? headDim;
  if (rotated !== headDim) throw metadata.unsupported(`rotary embeddings on ${rotated} of ${headDim} dimensions`);
  const valueDim = metadata.number("attention.value_length") ?? headDim;
  if (valueDim !== headDim) throw metadata.unsupported(`heads of ${headDim} with values of ${valueDim}`);
  return {
    vocab_size: metadata.matrixShape("token_embd.weight")[0],
    hidden_size: hiddenSize,
    intermediate_size: metadata.get("feed_forward_length"),
    num_hidden_layers: metadata.get("block_count"),
    num_attention_heads: numHeads,
    num_key_value_heads: metadata.get("attention.head_count_kv") ?? numHeads,
    head_dim: headDim,
    max_position_embeddings: metadata.get("context_length"),
    rms_norm_eps: metadata.number("attention.layer_norm_rms_epsilon"),
    tie_word_embeddings: !metadata.has("output.weight"),
    ...(await ropeConfig(metadata)),
  };
}

/**
 * `query_pre_attn_scalar` is not in the file: llama.cpp knows the one size of each Gemma, told by its number of layers, that
 * takes the hidden size per head for it; the others take the width of a head.
 */
function attentionScalar(metadata: GgufMetadata, layersOfLargest: number): number {
  const [hiddenSize, numHeads] = [metadata.required("embedding_length"), metadata.required("attention.head_count")];
  if (metadata.required("block_count") === layersOfLargest) return Math.floor(hiddenSize / numHeads);
  return metadata.number("attention.key_length") ?? hiddenSize / numHeads;
}

/** Which layers have the window: every one but each nth, or as listed; by default the family's rule. */
function slidingLayers(metadata: GgufMetadata): JsonObject {
  const pattern = metadata.get("attention.sliding_window_pattern");
  if (pattern === undefined) return {};
  if (!Array.isArray(pattern)) return { sliding_window_pattern: pattern };
  return { layer_types: pattern.map((isSliding) => (isSliding ? "sliding_attention" : "full_attention")) };
}
