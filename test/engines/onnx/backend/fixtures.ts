import {
  type EngineBackend,
  type EngineOptions,
  type OptimizerConfig,
  packSequences,
  type SequenceBatch,
} from "../../../../core/plugin.js";
import { OnnxBackend } from "../../../../engines/onnx/backend/onnx-backend.js";

export interface TinyOptions {
  readonly tied?: boolean;
  readonly kvHeads?: number;
  readonly vocabSize?: number;
  readonly threads?: number;
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

export const optimizer: OptimizerConfig = {
  name: "adamw",
  lr: 1e-3,
  betas: [0.9, 0.98],
  eps: 1e-8,
  weightDecay: 0.01,
  clipGrad: 1,
  schedule: { type: "constant", warmupSteps: 0, totalSteps: 100, minLrRatio: 0, numCycles: 0.5 },
};

/** A model small enough for finite differences over every parameter. */
export function tinyOptions(options: TinyOptions = {}): EngineOptions {
  const config = {
    model_type: "llama",
    vocab_size: options.vocabSize ?? 11,
    hidden_size: 8,
    intermediate_size: 12,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: options.kvHeads ?? 2,
    head_dim: 4,
    rms_norm_eps: 1e-5,
    rope_theta: 1000,
    max_position_embeddings: 64,
    tie_word_embeddings: options.tied ?? false,
  };
  return {
    model: { config, initSeed: 7 },
    optimizer,
    topology: { rank: 0, size: 1, isOutputSource: true },
    threads: options.threads ?? 1,
    seed: 1,
    extra: options.kwargs ?? {},
  };
}

export async function tinyBackend(options: TinyOptions = {}): Promise<OnnxBackend> {
  const backend = new OnnxBackend(tinyOptions(options));
  await backend.load();
  return backend;
}

/** Sequences of different lengths, one of them without a response. */
export function raggedBatch(temperature = 1, vocabSize = 11): SequenceBatch {
  const lengths = [
    [2, 3],
    [1, 5],
    [4, 0],
    [3, 1],
  ];
  let n = 0;
  const ids = (count: number) => Array.from({ length: count }, () => (n++ * 7 + 3) % vocabSize);
  const sequences = lengths.map(([prompt, response]) => ({ promptIds: ids(prompt), responseIds: ids(response) }));
  return packSequences(sequences, { temperature });
}

/** Copies of a backend's gradients by name. */
export async function gradientsOf(backend: EngineBackend): Promise<Map<string, Float64Array>> {
  const copies = new Map<string, Float64Array>();
  for await (const { name, data } of backend.gradients()) copies.set(name, Float64Array.from(data as Float32Array));
  return copies;
}

export async function weightsOf(backend: Pick<EngineBackend, "parameters">): Promise<Map<string, Float64Array>> {
  const copies = new Map<string, Float64Array>();
  for await (const { name, data } of backend.parameters()) copies.set(name, Float64Array.from(data as Float32Array));
  return copies;
}

/** ‖a − b‖ / ‖b‖ of the worst tensor; tensors that are 0 in both count as equal. */
export function worstRelativeError(a: ReadonlyMap<string, Float64Array>, b: ReadonlyMap<string, Float64Array>): number {
  let worst = 0;
  for (const [name, expected] of b) {
    const actual = a.get(name);
    if (!actual) return Number.POSITIVE_INFINITY;
    let [difference, norm] = [0, 0];
    expected.forEach((x, i) => {
      difference += (actual[i] - x) ** 2;
      norm += x * x;
    });
    if (difference > 0) worst = Math.max(worst, Math.sqrt(difference / norm));
  }
  return worst;
}
