import { storedParameters } from "../../../../core/formats/gguf/gguf-names.js";
import { type ModelConfig, parameterSpecs } from "../../../../core/formats/index.js";
import { tinyConfig, tinyTensors } from "../support.js";
import {
  bool,
  f32,
  f32Tensor,
  type GgufTensorBytes,
  i32s,
  type MetadataValue,
  text,
  texts,
  u32,
} from "./gguf-bytes.js";

/** Eleven tokens: three special ones, then a byte-level vocabulary with merges for "ab" and " ab". */
export const TINY_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "a", "b", "c", "Ġ", "1", "2", "ab", "Ġab"];

export function tinyMetadata(
  changes: Readonly<Record<string, MetadataValue | null>> = {},
): Record<string, MetadataValue> {
  const metadata: Record<string, MetadataValue | null> = {
    "general.architecture": text("llama"),
    "llama.block_count": u32(2),
    "llama.context_length": u32(64),
    "llama.embedding_length": u32(8),
    "llama.feed_forward_length": u32(12),
    "llama.attention.head_count": u32(2),
    "llama.attention.head_count_kv": u32(1),
    "llama.rope.dimension_count": u32(4),
    "llama.rope.freq_base": f32(100000),
    "llama.attention.layer_norm_rms_epsilon": f32(1e-5),
    "tokenizer.ggml.model": text("gpt2"),
    "tokenizer.ggml.pre": text("smollm"),
    "tokenizer.ggml.tokens": texts(TINY_TOKENS),
    "tokenizer.ggml.token_type": i32s(TINY_TOKENS.map((_, id) => (id < 3 ? 3 : 1))),
    "tokenizer.ggml.merges": texts(["a b", "Ġ ab"]),
    "tokenizer.ggml.bos_token_id": u32(1),
    "tokenizer.ggml.eos_token_id": u32(2),
    "tokenizer.ggml.add_bos_token": bool(false),
    "tokenizer.chat_template": text("{{ messages[0]['content'] }}"),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, MetadataValue] => entry[1] !== null),
  );
}

/** The tensors of {@link tinyTensors} as a GGUF file stores them, query and key rows interleaved. */
export function tinyGgufTensors(config: ModelConfig = tinyConfig()): GgufTensorBytes[] {
  const stored = storedParameters(config, parameterSpecs(config));
  return tinyTensors(config).map(({ shape, data }, i) => {
    const { name, rotaryHeads } = stored[i];
    return f32Tensor(name, shape, rotaryHeads === null ? data : interleave(data, rotaryHeads, shape[1]));
  });
}

function interleave(weight_RC: Float32Array, heads: number, columns: number): Float32Array {
  const out = new Float32Array(weight_RC.length);
  const rows = weight_RC.length / columns / heads;
  for (let row = 0; row < heads * rows; row++) {
    const [head, inHead] = [Math.floor(row / rows), row % rows];
    const half = rows / 2;
    const target = head * rows + (inHead < half ? 2 * inHead : 2 * (inHead - half) + 1);
    out.set(weight_RC.subarray(row * columns, (row + 1) * columns), target * columns);
  }
  return out;
}
