import { shown } from "../../host/shown.js";
import { formatErrors } from "../errors.js";
import type { HeadKind, ModelConfig } from "../model.js";
import { parseModelConfig } from "../model-config.js";
import type { GgufHeader, GgufValue } from "./header.js";

/** The architecture from GGUF metadata, put into the form of `config.json` first so that one parser judges both. */
export function ggufModelConfig(header: GgufHeader, path: string, head?: HeadKind): ModelConfig {
  const { metadata, tensors } = header;
  const architecture = metadata.get("general.architecture");
  const refuse = (feature: string) =>
    formatErrors.VERL_FORMATS_MODEL_UNSUPPORTED({
      what: `this model uses ${feature}, which is not supported`,
      where: path,
    });
  if (architecture !== "llama") throw refuse(`the architecture ${shown(architecture ?? null)}`);

  const get = (key: string) => plain(metadata.get(`llama.${key}`));
  const scaling = get("rope.scaling.type");
  if (scaling !== undefined && scaling !== "none") throw refuse(`rope scaling of type ${shown(scaling)}`);
  if (tensors.has("rope_freqs.weight")) throw refuse("per-frequency rope factors (rope_freqs.weight)");
  if (((get("expert_count") as number | undefined) ?? 0) > 0) throw refuse("experts");
  const bias = [...tensors.keys()].find((name) => name.endsWith(".bias"));
  if (bias) throw refuse(`biases (${bias})`);

  const embedding = tensors.get("token_embd.weight");
  if (embedding?.shape.length !== 2) {
    throw formatErrors.VERL_FORMATS_TENSOR_MISSING({ what: 'there is no matrix "token_embd.weight"', where: path });
  }
  const heads = get("attention.head_count");
  const headDim = get("attention.key_length") ?? get("rope.dimension_count");
  const rotated = get("rope.dimension_count");
  if (rotated !== undefined && headDim !== rotated)
    throw refuse(`rotary embeddings on ${rotated} of ${headDim} dimensions`);
  const valueDim = get("attention.value_length");
  if (valueDim !== undefined && headDim !== valueDim) throw refuse(`heads of ${headDim} with values of ${valueDim}`);

  const tokenId = (name: string) => plain(metadata.get(`tokenizer.ggml.${name}_token_id`)) ?? null;
  const raw = withoutUndefined({
    architectures: ["LlamaForCausalLM"],
    model_type: "llama",
    vocab_size: embedding.shape[0],
    hidden_size: get("embedding_length"),
    intermediate_size: get("feed_forward_length"),
    num_hidden_layers: get("block_count"),
    num_attention_heads: heads,
    num_key_value_heads: get("attention.head_count_kv") ?? heads,
    head_dim: headDim,
    hidden_act: "silu",
    max_position_embeddings: get("context_length"),
    rms_norm_eps: shortest(get("attention.layer_norm_rms_epsilon")),
    rope_theta: shortest(get("rope.freq_base")),
    sliding_window: get("attention.sliding_window"),
    tie_word_embeddings: !tensors.has("output.weight"),
    attention_bias: false,
    mlp_bias: false,
    bos_token_id: tokenId("bos"),
    eos_token_id: ggufEosTokenIds(metadata),
    pad_token_id: tokenId("padding"),
  });
  return parseModelConfig(raw, { where: path, head });
}

/** Ids that end a text or a turn. */
export function ggufEosTokenIds(metadata: ReadonlyMap<string, GgufValue>): number | number[] | null {
  const ids = ["eos", "eot", "eom"]
    .map((name) => metadata.get(`tokenizer.ggml.${name}_token_id`))
    .filter((id) => typeof id === "number");
  const unique = [...new Set(ids)];
  return unique.length === 0 ? null : unique.length === 1 ? unique[0] : unique;
}

/** JSON has no BigInt; such a value is out of every range anyway. */
function plain(value: GgufValue | undefined): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

/** GGUF keeps 1e-5 as a float32; give back the decimal that was meant when there is a short one. */
function shortest(value: unknown): unknown {
  if (typeof value !== "number") return value;
  const decimal = Number(value.toPrecision(7));
  return Math.fround(decimal) === value ? decimal : value;
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
