import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NamedTensor } from "../../../core/data/batch/tensor.js";
import { type ModelConfig, parameterSpecs, parseModelConfig } from "../../../core/formats/index.js";
import { isVerlError, type VerlError } from "../../../core/host/errors.js";

/** Run with a folder of its own that is removed afterwards. */
export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "verl-formats-"));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The error that `action` must end with. */
export async function errorOf(action: () => unknown): Promise<VerlError> {
  try {
    await action();
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
  throw new Error("expected a coded error, but nothing was thrown");
}

export const TINY_CONFIG = {
  model_type: "llama",
  vocab_size: 11,
  hidden_size: 8,
  intermediate_size: 12,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 64,
  tie_word_embeddings: true,
  bos_token_id: 1,
  eos_token_id: 2,
};

export function tinyConfig(changes: Record<string, unknown> = {}): ModelConfig {
  return parseModelConfig({ ...TINY_CONFIG, ...changes });
}

/** Parameters with distinct values that bf16 holds exactly. */
export function tinyTensors(config: ModelConfig): (NamedTensor & { data: Float32Array })[] {
  return parameterSpecs(config).map(({ name, shape }, t) => {
    const count = shape.reduce((product, size) => product * size, 1);
    return {
      name,
      shape,
      dtype: "f32",
      data: Float32Array.from({ length: count }, (_, i) => ((t * 31 + i) % 128) / 64),
    };
  });
}
