import type { ConfigReader } from "../config-reader.js";
import type { ModelConfig } from "../model.js";
import { readRope } from "../rope-config.js";
import {
  ACTIVATIONS,
  type Architecture,
  classesOf,
  LLAMA_NAMES,
  type ModelFamily,
  PLAIN,
  plainLayers,
  readSizes,
  slidingLayers,
} from "./family.js";

/** Qwen2 and Qwen2.5 (2407.10671): Llama with biases on queries, keys and values. */
export const qwen2: ModelFamily = {
  modelType: "qwen2",
  classes: classesOf("Qwen2"),
  read: (config) => readQwen(config, { biases: { qkv: true, attentionOut: false, mlp: false } }),
};

/** Qwen3, dense (2505.09388): no biases, and a norm of each head's queries and keys. */
export const qwen3: ModelFamily = {
  modelType: "qwen3",
  classes: classesOf("Qwen3"),
  read(config) {
    const bias = config.flag("attention_bias", false);
    return readQwen(config, {
      headDim: 128,
      biases: { qkv: bias, attentionOut: bias, mlp: false },
      names: {
        ...LLAMA_NAMES,
        layer: { ...LLAMA_NAMES.layer, queryNorm: "self_attn.q_norm", keyNorm: "self_attn.k_norm" },
      },
    });
  },
};

interface QwenVariant extends Pick<ModelConfig, "biases">, Partial<Pick<ModelConfig, "names">> {
  /** Default of `head_dim`. */
  readonly headDim?: number;
}

function readQwen(config: ConfigReader, { headDim, ...variant }: QwenVariant): Architecture {
  const sizes = readSizes(config, { maxPositions: 32768, numKvHeads: 32, headDim });
  const rope = readRope(config, sizes);
  const window = config.optionalCount("sliding_window", 4096);
  const isUsed = config.flag("use_sliding_window", false) && window !== null;
  const firstSliding = config.natural("max_window_layers", 28);
  const isSliding = slidingLayers(config, sizes.numLayers, (layer) => isUsed && layer >= firstSliding);
  if (!isUsed && isSliding.includes(true)) {
    throw config.invalid("layer_types names sliding_attention, but use_sliding_window is false", "layer_types");
  }
  return {
    ...PLAIN,
    ...sizes,
    ...variant,
    maxPositions: rope.maxPositions,
    norm: { kind: "rms", epsilon: config.positive("rms_norm_eps", 1e-6) },
    ropes: [rope],
    layers: plainLayers(sizes).map((layer, i) => ({ ...layer, window: isSliding[i] ? window : null })),
    activation: config.choice("hidden_act", ACTIVATIONS, "silu"),
    tieWordEmbeddings: config.flag("tie_word_embeddings", false),
  };
}
