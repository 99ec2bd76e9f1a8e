import { ACTIVATIONS, type ModelFamily, PLAIN } from "./family.js";

/** GPT-2 (Radford et al., 2019): learned positions, LayerNorm, one projection for queries, keys and values, biases everywhere. */
export const gpt2: ModelFamily = {
  modelType: "gpt2",
  classes: {
    languageModel: "GPT2LMHeadModel",
    values: "GPT2ForTokenClassification",
    scores: "GPT2ForSequenceClassification",
  },
  read(config) {
    const hiddenSize = config.count("n_embd", 768);
    const numHeads = config.count("n_head", 12);
    const numLayers = config.parts("n_layer", 12);
    if (hiddenSize % numHeads !== 0)
      throw config.invalid(`n_embd ${hiddenSize} is not a multiple of n_head ${numHeads}`, "n_head");
    const headDim = hiddenSize / numHeads;
    const scale = config.flag("scale_attn_weights", true) ? 1 / Math.sqrt(headDim) : 1;
    const isDivided = config.flag("scale_attn_by_inverse_layer_idx", false);
    return {
      ...PLAIN,
      hiddenSize,
      intermediateSize: config.count("n_inner", 4 * hiddenSize),
      numLayers,
      numHeads,
      numKvHeads: numHeads,
      headDim,
      maxPositions: config.count("n_positions", 1024),
      names: {
        base: "transformer.",
        embedding: "transformer.wte",
        positions: "transformer.wpe",
        layers: "transformer.h",
        layer: {
          attentionNorm: "ln_1",
          qkv: "attn.c_attn",
          attentionOut: "attn.c_proj",
          mlpNorm: "ln_2",
          up: "mlp.c_fc",
          down: "mlp.c_proj",
        },
        finalNorm: "transformer.ln_f",
        heads: { languageModel: "lm_head", values: "classifier", scores: "score" },
      },
      transposedWeights: true,
      biases: { qkv: true, attentionOut: true, mlp: true },
      norm: { kind: "layer", epsilon: config.positive("layer_norm_epsilon", 1e-5) },
      layers: Array.from({ length: numLayers }, (_, layer) => ({
        window: null,
        rope: null,
        attentionScale: isDivided ? scale / (layer + 1) : scale,
      })),
      activation: config.choice("activation_function", ACTIVATIONS, "gelu_new"),
      tieWordEmbeddings: config.flag("tie_word_embeddings", true),
    };
  },
};
