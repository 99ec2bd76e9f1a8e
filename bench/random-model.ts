import { type ModelConfig, parameterSpecs } from "../core/formats/index.js";
import type { NamedTensor, OptimizerConfig } from "../core/plugin.js";
import { fillInitialWeights } from "../engines/onnx/models/initial-weights.js";

/** Shape of a Llama. */
export interface ModelShape {
  readonly vocab: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads?: number;
  readonly inner: number;
  /** The embedding is the head as well. */
  readonly tied?: boolean;
}

/** `a` has 1 M parameters, `b` 34 M; `smollm2` is the shape of SmolLM2-135M. */
export const SHAPES = {
  tiny: { vocab: 256, hidden: 64, layers: 2, heads: 4, inner: 128 },
  a: { vocab: 512, hidden: 128, layers: 4, heads: 4, inner: 384 },
  b: { vocab: 8192, hidden: 512, layers: 8, heads: 8, inner: 1408 },
  smollm2: { vocab: 49152, hidden: 576, layers: 30, heads: 9, kvHeads: 3, inner: 1536, tied: true },
} as const satisfies Readonly<Record<string, ModelShape>>;

/** A shape in the form of Hugging Face's `config.json`. */
export function configOf({ vocab, hidden, layers, heads, kvHeads = heads, inner, tied = false }: ModelShape) {
  return {
    model_type: "llama",
    vocab_size: vocab,
    hidden_size: hidden,
    intermediate_size: inner,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    head_dim: hidden / heads,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    max_position_embeddings: 512,
    tie_word_embeddings: tied,
  };
}

/** Number of elements of all parameters. */
export function parameterCount(config: ModelConfig): number {
  return parameterSpecs(config).reduce((sum, { shape }) => sum + elements(shape), 0);
}

/** Initial weights of a model, made one by one: the engine's own for the seed 1. */
export async function* randomWeights(config: ModelConfig): AsyncGenerator<NamedTensor> {
  for (const spec of parameterSpecs(config)) {
    const data = new Float32Array(elements(spec.shape));
    fillInitialWeights(config, 1, spec, data);
    yield { name: spec.name, shape: spec.shape, dtype: "f32", data };
  }
}

/** AdamW at a constant rate. */
export function adamW(lr: number): OptimizerConfig {
  return {
    name: "adamw",
    lr,
    betas: [0.9, 0.999],
    eps: 1e-8,
    weightDecay: 0.01,
    clipGrad: 1,
    schedule: { type: "constant", warmupSteps: 0, totalSteps: 0, minLrRatio: 0, numCycles: 0.5 },
  };
}

function elements(shape: readonly number[]): number {
  return shape.reduce((n, d) => n * d, 1);
}
