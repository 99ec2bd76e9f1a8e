import { uniformAt } from "../../../../core/data/random.js";
import { type ModelConfig, parameterSpecs, parseModelConfig } from "../../../../core/formats/index.js";
import type {
  GenerateRequest,
  NamedTensor,
  RolloutOptions,
  SamplingParams,
  WeightReceiver,
} from "../../../../core/plugin.js";
import { createOnnxReplica } from "../../../../engines/onnx/rollout/replica.js";

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
  return parameterSpecs(config).map(({ name, shape, role }) => {
    const length = shape.reduce((n, d) => n * d, 1);
    const centre = role === "norm" && config.norm.kind !== "rmsPlusOne" ? 1 : 0;
    // Uniform on [−√3, √3] has variance 1.
    const scale = Math.sqrt(3) * (shape.length === 1 ? 0.1 : 1.2 / Math.sqrt(shape[1]));
    const data = Float32Array.from({ length }, (_, i) => centre + scale * (2 * uniformAt(seed, name, i) - 1));
    return { name, dtype: "f32", shape, data };
  });
}

/** A launched replica with the given weights as version 1: by default the tiny model's of seed 1; null: none. */
export async function withOnnxReplica<T>(
  options: Partial<RolloutOptions>,
  body: (replica: WeightReceiver) => Promise<T>,
  weights: readonly NamedTensor[] | null = randomWeights(tiny, 1),
): Promise<T> {
  const replica = createOnnxReplica({
    replicaRank: 0,
    model: { config: tinyConfig },
    maxModelLen: 64,
    maxNumSeqs: 8,
    responseLength: 12,
    eosTokenIds: [],
    createDecoder: null,
    threads: 1,
    extra: {},
    ...options,
  });
  try {
    await replica.launch();
    if (weights) await replica.receiveWeights(streamOf(weights), { version: 1 });
    return await body(replica);
  } finally {
    await replica.dispose();
  }
}

export function request(
  requestId: string,
  { promptIds = [1, 2, 3], ...sampling }: Partial<SamplingParams> & { promptIds?: readonly number[] } = {},
): GenerateRequest {
  return {
    requestId,
    promptIds,
    seed: 3,
    sampling: { temperature: 1, topP: 1, topK: -1, logProbs: true, ...sampling },
  };
}

export async function* streamOf(tensors: Iterable<NamedTensor>): AsyncGenerator<NamedTensor> {
  yield* tensors;
}
