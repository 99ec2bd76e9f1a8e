import { readRope } from "../rope-config.js";
import { ACTIVATIONS, classesOf, type ModelFamily, PLAIN, plainLayers, readSizes } from "./family.js";

/**
 * Llama 1 to 3.x (2407.21783), and what is published under its name, such as SmolLM2: pre-norm, rotary positions, grouped
 * queries, SwiGLU.
 */
export const llama: ModelFamily = {
  modelType: "llama",
  classes: classesOf("Llama"),
  read(config) {
    const sizes = readSizes(config, { maxPositions: 2048 });
    const rope = readRope(config, sizes);
    const attentionBias = config.flag("attention_bias", false);
    return {
      ...PLAIN,
      ...sizes,
      maxPositions: rope.maxPositions,
      biases: { qkv: attentionBias, attentionOut: attentionBias, mlp: config.flag("mlp_bias", false) },
      norm: { kind: "rms", epsilon: config.positive("rms_norm_eps", 1e-6) },
      ropes: [rope],
      layers: plainLayers(sizes),
      activation: config.choice("hidden_act", ACTIVATIONS, "silu"),
      tieWordEmbeddings: config.flag("tie_word_embeddings", false),
    };
  },
};
