import type { ConfigReader } from "../config-reader.js";
import { readRope } from "../rope-config.js";
import {
  ACTIVATIONS,
  classesOf,
  type ModelFamily,
  PLAIN,
  plainLayers,
  readSizes,
  type SizeDefaults,
} from "./family.js";

/** Gemma (2403.08295): Llama with GeGLU, norms that store w − 1, and embeddings scaled by √hidden. */
export const gemma: ModelFamily = {
  modelType: "gemma",
  classes: classesOf("Gemma"),
  read(config) {
    const common = readGemma(config, { maxPositions: 8192, numKvHeads: 16, headDim: 256 });
    const rope = readRope(config, common);
    return {
      ...common,
      maxPositions: rope.maxPositions,
      ropes: [rope],
      layers: plainLayers(common),
      // The first releases say gelu and mean its approximation.
      activation: config.choice("hidden_act", { ...ACTIVATIONS, gelu: "geluTanh" }, "gelu_pytorch_tanh"),
    };
  },
};

/** What all versions share. */
export function readGemma(config: ConfigReader, defaults: SizeDefaults) {
  const sizes = readSizes(config, defaults);
  const bias = config.flag("attention_bias", false);
  return {
    ...PLAIN,
    ...sizes,
    biases: { qkv: bias, attentionOut: bias, mlp: false },
    norm: { kind: "rmsPlusOne", epsilon: config.positive("rms_norm_eps", 1e-6) },
    embeddingScale: Math.fround(Math.sqrt(sizes.hiddenSize)),
    tieWordEmbeddings: config.flag("tie_word_embeddings", true),
  } as const;
}
