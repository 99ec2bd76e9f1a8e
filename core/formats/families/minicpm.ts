import { readRope } from "../rope-config.js";
import { ACTIVATIONS, type ModelFamily, PLAIN, plainLayers, readSizes } from "./family.js";

/**
 * MiniCPM (2404.06395) and MiniCPM4 with dense attention: Llama with factors that make one set of hyper-parameters serve all
 * sizes. The model's code is not part of `transformers`, it comes with the model.
 */
export const minicpm: ModelFamily = {
  modelType: "minicpm",
  classes: { languageModel: "MiniCPMForCausalLM", values: null, scores: "MiniCPMForSequenceClassification" },
  read(config) {
    const sizes = readSizes(config, { maxPositions: 2048 });
    const rope = readRope(config, sizes);
    const attentionBias = config.flag("attention_bias", false);
    return {
      ...PLAIN,
      ...sizes,
      maxPositions: rope.maxPositions,
      biases: { qkv: attentionBias, attentionOut: attentionBias, mlp: false },
      norm: { kind: "rms", epsilon: config.positive("rms_norm_eps", 1e-6) },
      ropes: [rope],
      layers: plainLayers(sizes),
      activation: config.choice("hidden_act", ACTIVATIONS, "silu"),
      embeddingScale: config.positive("scale_emb", 1),
      residualScale: config.positive("scale_depth", 1) / Math.sqrt(sizes.numLayers),
      logitScale: config.positive("dim_model_base", 1) / sizes.hiddenSize,
      tieWordEmbeddings: config.flag("tie_word_embeddings", true),
    };
  },
};
