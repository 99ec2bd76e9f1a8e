import { readRope } from "../rope-config.js";
import { ACTIVATIONS, classesOf, type ModelFamily, PLAIN, plainLayers, readSizes } from "./family.js";

/** Mistral (2310.06825): Llama with a sliding window on every layer. */
export const mistral: ModelFamily = {
  modelType: "mistral",
  classes: classesOf("Mistral"),
  read(config) {
    const sizes = readSizes(config, { maxPositions: 131072, numKvHeads: 8 });
    const rope = readRope(config, sizes);
    return {
      ...PLAIN,
      ...sizes,
      maxPositions: rope.maxPositions,
      norm: { kind: "rms", epsilon: config.positive("rms_norm_eps", 1e-6) },
      ropes: [rope],
      layers: plainLayers(sizes, { window: config.optionalCount("sliding_window", 4096) }),
      activation: config.choice("hidden_act", ACTIVATIONS, "silu"),
      tieWordEmbeddings: config.flag("tie_word_embeddings", false),
    };
  },
};
