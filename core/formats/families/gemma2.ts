import { readRope } from "../rope-config.js";
import { ACTIVATIONS, classesOf, LLAMA_NAMES, type ModelFamily, plainLayers, slidingLayers } from "./family.js";
import { readGemma } from "./gemma.js";

/** Norms before and after both sublayers. */
export const SANDWICH_NORMS = {
  attentionOutNorm: "post_attention_layernorm",
  mlpNorm: "pre_feedforward_layernorm",
  mlpOutNorm: "post_feedforward_layernorm",
} as const;

/** Gemma 2 (2408.00118): a window on every other layer, norms around sublayers, soft caps on attention and logits. */
export const gemma2: ModelFamily = {
  modelType: "gemma2",
  classes: classesOf("Gemma2"),
  read(config) {
    const common = readGemma(config, { maxPositions: 8192, numKvHeads: 4, headDim: 256 });
    const rope = readRope(config, common);
    const window = config.optionalCount("sliding_window", 4096);
    const isSliding = slidingLayers(config, common.numLayers, (layer) => layer % 2 === 0);
    const attentionScale = config.count("query_pre_attn_scalar", 256) ** -0.5;
    return {
      ...common,
      maxPositions: rope.maxPositions,
      names: { ...LLAMA_NAMES, layer: { ...LLAMA_NAMES.layer, ...SANDWICH_NORMS } },
      ropes: [rope],
      layers: plainLayers(common, { attentionScale }).map((layer, i) => ({
        ...layer,
        window: isSliding[i] ? window : null,
      })),
      activation: config.choice("hidden_activation", ACTIVATIONS, "gelu_pytorch_tanh"),
      attentionSoftcap: config.optionalPositive("attn_logit_softcapping", 50),
      logitSoftcap: config.optionalPositive("final_logit_softcapping", 30),
    };
  },
};
