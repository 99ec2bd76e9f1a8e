import type { ModelConfig } from "../model.js";

const TOP_NAMES: Readonly<Record<string, string>> = {
  "model.embed_tokens.weight": "token_embd.weight",
  "model.norm.weight": "output_norm.weight",
  "lm_head.weight": "output.weight",
};

const LAYER_NAMES: Readonly<Record<string, string>> = {
  "input_layernorm.weight": "attn_norm.weight",
  "self_attn.q_proj.weight": "attn_q.weight",
  "self_attn.k_proj.weight": "attn_k.weight",
  "self_attn.v_proj.weight": "attn_v.weight",
  "self_attn.o_proj.weight": "attn_output.weight",
  "post_attention_layernorm.weight": "ffn_norm.weight",
  "mlp.gate_proj.weight": "ffn_gate.weight",
  "mlp.up_proj.weight": "ffn_up.weight",
  "mlp.down_proj.weight": "ffn_down.weight",
};

/** The name that a GGUF file gives to a Hugging Face parameter of the llama family; null for an unknown one. */
export function ggufName(name: string): string | null {
  if (Object.hasOwn(TOP_NAMES, name)) return TOP_NAMES[name];
  const match = /^model\.layers\.(\d+)\.(.+)$/.exec(name);
  const layerName = match ? LAYER_NAMES[match[2]] : undefined;
  return match && layerName ? `blk.${match[1]}.${layerName}` : null;
}

/**
 * Heads of a projection whose rows GGUF stores interleaved for rotary embeddings, or null for a tensor that is stored as is.
 */
export function rotaryHeads(name: string, config: ModelConfig): number | null {
  if (name.endsWith(".self_attn.q_proj.weight")) return config.numHeads;
  if (name.endsWith(".self_attn.k_proj.weight")) return config.numKvHeads;
  return null;
}
