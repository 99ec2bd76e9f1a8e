import type { ConfigReader } from "../config-reader.js";
import { keepOldForm, oldScaling, type ReadRope, scaledRope } from "../rope-config.js";
import { ACTIVATIONS, LLAMA_NAMES, type ModelFamily, plainLayers, type Sizes, slidingLayers } from "./family.js";
import { readGemma } from "./gemma.js";
import { SANDWICH_NORMS } from "./gemma2.js";

/**
 * Gemma 3, the text model (2503.19786): a window on five of six layers, which have a rotary embedding of their own, and
 * norms of queries and keys.
 */
export const gemma3: ModelFamily = {
  modelType: "gemma3_text",
  classes: { languageModel: "Gemma3ForCausalLM", values: null, scores: "Gemma3TextForSequenceClassification" },
  read(config) {
    const common = readGemma(config, { maxPositions: 131072, numKvHeads: 4, headDim: 256 });
    const [global, local] = readRopes(config, common);
    const window = config.optionalCount("sliding_window", 4096);
    const pattern = config.count("sliding_window_pattern", 6);
    const isSliding = slidingLayers(config, common.numLayers, (layer) => (layer + 1) % pattern !== 0);
    const attentionScale = config.count("query_pre_attn_scalar", 256) ** -0.5;
    return {
      ...common,
      maxPositions: Math.min(global.maxPositions, local.maxPositions),
      names: {
        ...LLAMA_NAMES,
        layer: { ...LLAMA_NAMES.layer, ...SANDWICH_NORMS, queryNorm: "self_attn.q_norm", keyNorm: "self_attn.k_norm" },
      },
      ropes: [global, local],
      layers: plainLayers(common, { attentionScale }).map((layer, i) =>
        isSliding[i] ? { ...layer, window, rope: 1 } : layer,
      ),
      activation: config.choice("hidden_activation", ACTIVATIONS, "gelu_pytorch_tanh"),
      logitSoftcap: config.optionalPositive("final_logit_softcapping"),
    };
  },
};

/** Of the layers with full attention and of those with a window. Old files scale the former alone. */
function readRopes(config: ConfigReader, sizes: Sizes): [global: ReadRope, local: ReadRope] {
  const byLayerType = config.object("rope_parameters");
  const scaling = oldScaling(config);
  const rope = (layerType: string, thetaKey: string, defaultTheta: number) => {
    const parameters = byLayerType.object(layerType);
    const theta = parameters.positive("rope_theta", config.positive(thetaKey, defaultTheta));
    config.keep(thetaKey, theta);
    const scaled = (layerType === "full_attention" ? scaling : null) ?? parameters;
    return scaledRope(scaled, sizes, theta, () => scaled.count("original_max_position_embeddings", sizes.maxPositions));
  };
  keepOldForm(config, scaling ?? byLayerType.object("full_attention"));
  return [rope("full_attention", "rope_theta", 1e6), rope("sliding_attention", "rope_local_base_freq", 1e4)];
}
