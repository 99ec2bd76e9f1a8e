import type { ConfigReader } from "./config-reader.js";
import { READABLE_TYPES } from "./gguf/types.js";

/** A feature that changes a model's numbers, and the value of its key at which it is off. */
interface Guard {
  readonly feature: string;
  /** Besides absent, null, false, 0 and empty, which are always off. */
  readonly off?: string | number;
  readonly fix?: string;
}

const experts: Guard = { feature: "experts" };
const latent: Guard = { feature: "latent attention" };
const biases: Guard = { feature: "these biases, which this family does not have," };
const scaling = (feature: string): Guard => ({ feature, off: 1 });
const softCap: Guard = { feature: "a soft cap, which this family does not have," };

/** A family that has one asks for its key; anywhere else the feature must be off. */
const GUARDS: Readonly<Record<string, Guard>> = {
  add_cross_attention: { feature: "cross-attention" },
  alibi: { feature: "ALiBi positions" },
  attention_bias: biases,
  attn_logit_softcapping: softCap,
  clip_qkv: { feature: "clipped queries and keys" },
  embedding_multiplier: scaling("scaled embeddings"),
  final_logit_softcapping: softCap,
  is_encoder_decoder: { feature: "an encoder" },
  kv_lora_rank: latent,
  logits_scaling: scaling("scaled logits"),
  mlp_bias: biases,
  n_routed_experts: experts,
  no_rope_layers: { feature: "layers without rotary embedding" },
  num_experts: experts,
  num_local_experts: experts,
  parallel_attn: { feature: "attention and MLP side by side" },
  partial_rotary_factor: scaling("partial rotary embeddings"),
  q_lora_rank: latent,
  qk_norm: { feature: "norms of queries and keys, which this family does not have," },
  quantization_config: {
    feature: "packed weights",
    fix:
      "use the folder from which it was quantised: its model card names it; or a GGUF file of the model, of " +
      `${READABLE_TYPES.join(", ")}; or unpack it in Python: model = AutoModelForCausalLM.from_pretrained(FOLDER); ` +
      "model.dequantize(); model.save_pretrained(NEW_FOLDER); and copy the tokenizer's files",
  },
  residual_multiplier: scaling("scaled residuals"),
  rope_interleaved: { feature: "interleaved rotary embeddings" },
  scale_depth: scaling("scaled residuals"),
  scale_emb: scaling("scaled embeddings"),
  sliding_window: { feature: "sliding windows, which this family does not have," },
  sparse_config: { feature: "sparse attention" },
  use_bidirectional_attention: { feature: "attention in both directions" },
  use_qk_norm: { feature: "norms of queries and keys, which this family does not have," },
};

/** Keys that are judged by their values. */
export const GUARDED: readonly string[] = Object.keys(GUARDS);

/** Refuses, by name, a feature that nobody has asked for: ignoring it would change the model's numbers. */
export function refuseUnreadFeatures(config: ConfigReader): void {
  const { raw } = config;
  for (const [key, { feature, off, fix }] of Object.entries(GUARDS)) {
    const value = raw[key];
    if (config.wasAsked(key) || isOff(value, off)) continue;
    if (key === "sliding_window" && raw.use_sliding_window === false) continue;
    const why =
      key === "quantization_config"
        ? `weights are read as ${READABLE_WEIGHTS}, and ${methodOf(value)} is none of them`
        : `models with ${feature} cannot be computed; the key has to be absent${off === undefined ? "" : ` or ${off}`}`;
    throw config.refused(key, value, { why, ...(fix === undefined ? {} : { fix }) });
  }
  if (!config.wasAsked("layer_types") && Array.isArray(raw.layer_types)) {
    const other = raw.layer_types.find((type) => type !== "full_attention");
    if (other !== undefined) throw config.unsupported("layer_types", other, ["full_attention"]);
  }
}

const READABLE_WEIGHTS = "safetensors of F32, F16, BF16 and F64, or as GGUF";

function methodOf(value: unknown): string {
  const method = (value as { readonly quant_method?: unknown } | null)?.quant_method;
  return typeof method === "string" ? `quant_method ${JSON.stringify(method)}` : "this packing";
}

function isOff(value: unknown, off: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return value === undefined || value === null || value === false || value === 0 || value === off || isEmpty;
}
