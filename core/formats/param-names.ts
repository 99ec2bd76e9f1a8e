import type { ModelConfig } from "./model.js";
import type { TensorSpec } from "./safetensors-writer.js";

export const EMBEDDING = "model.embed_tokens.weight";
export const FINAL_NORM = "model.norm.weight";
export const LM_HEAD = "lm_head.weight";

/**
 * Every parameter of the model under its Hugging Face name, in the order of computation. A linear layer's weight is
 * [outputs, inputs]. A tied head is not listed: it is the embedding.
 */
export function parameterSpecs(config: ModelConfig): TensorSpec[] {
  const { hiddenSize: D, intermediateSize: F, vocabSize: V, headDim, numHeads, numKvHeads } = config;
  const q = numHeads * headDim;
  const kv = numKvHeads * headDim;
  const specs: TensorSpec[] = [{ name: EMBEDDING, shape: [V, D] }];
  for (let layer = 0; layer < config.numLayers; layer++) {
    const prefix = `model.layers.${layer}`;
    specs.push(
      { name: `${prefix}.input_layernorm.weight`, shape: [D] },
      { name: `${prefix}.self_attn.q_proj.weight`, shape: [q, D] },
      { name: `${prefix}.self_attn.k_proj.weight`, shape: [kv, D] },
      { name: `${prefix}.self_attn.v_proj.weight`, shape: [kv, D] },
      { name: `${prefix}.self_attn.o_proj.weight`, shape: [D, q] },
      { name: `${prefix}.post_attention_layernorm.weight`, shape: [D] },
      { name: `${prefix}.mlp.gate_proj.weight`, shape: [F, D] },
      { name: `${prefix}.mlp.up_proj.weight`, shape: [F, D] },
      { name: `${prefix}.mlp.down_proj.weight`, shape: [D, F] },
    );
  }
  specs.push({ name: FINAL_NORM, shape: [D] });
  if (!config.tieWordEmbeddings) specs.push({ name: LM_HEAD, shape: [V, D] });
  return specs;
}

const GGUF_LAYER_NAMES: Readonly<Record<string, string>> = {
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
  if (name === EMBEDDING) return "token_embd.weight";
  if (name === FINAL_NORM) return "output_norm.weight";
  if (name === LM_HEAD) return "output.weight";
  const match = /^model\.layers\.(\d+)\.(.+)$/.exec(name);
  const layerName = match ? GGUF_LAYER_NAMES[match[2]] : undefined;
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
