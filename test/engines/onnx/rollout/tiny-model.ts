import { RandomStream } from "../../../../core/data/random.js";
import { type ModelConfig, parameterSpecs, parseModelConfig } from "../../../../core/formats/index.js";
import type { NamedTensor } from "../../../../core/plugin.js";

/** A Llama with grouped queries; small, and odd enough in its sizes that kernels take their edge cases. */
export const tinyConfig: Readonly<Record<string, unknown>> = {
  model_type: "llama",
  vocab_size: 61,
  hidden_size: 24,
  intermediate_size: 40,
  num_hidden_layers: 2,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  head_dim: 16,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  max_position_embeddings: 512,
  tie_word_embeddings: true,
};

export const tiny: ModelConfig = parseModelConfig(tinyConfig);

/** Random parameters that make lively, varied predictions. */
export function randomWeights(config: ModelConfig, seed: number): NamedTensor[] {
  return parameterSpecs(config).map(({ name, shape }) => {
    const random = new RandomStream(seed, name);
    const length = shape.reduce((n, d) => n * d, 1);
    const isNorm = shape.length === 1;
    const std = isNorm ? 0.1 : 1.2 / Math.sqrt(shape[1]);
    const data = Float32Array.from({ length }, () => (isNorm ? 1 : 0) + std * random.normal());
    return { name, dtype: "f32", shape, data };
  });
}
