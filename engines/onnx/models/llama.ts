import type { ModelConfig } from "../../../core/formats/index.js";
import type { Autodiff, Ref } from "../ir/index.js";
import { attention, causalMask } from "./attention.js";
import { add, linear, rmsNorm, rotary, swiGlu } from "./layers.js";
import type { TokenLayout } from "./token-layout.js";

export const EMBEDDING = "model.embed_tokens.weight";
export const FINAL_NORM = "model.norm.weight";
export const LM_HEAD = "lm_head.weight";

/** Names of one layer's parameters, as in Hugging Face's Llama. */
export function layerNames(layer: number) {
  const prefix = `model.layers.${layer}`;
  return {
    attentionNorm: `${prefix}.input_layernorm.weight`,
    query: `${prefix}.self_attn.q_proj.weight`,
    key: `${prefix}.self_attn.k_proj.weight`,
    value: `${prefix}.self_attn.v_proj.weight`,
    attentionOut: `${prefix}.self_attn.o_proj.weight`,
    mlpNorm: `${prefix}.post_attention_layernorm.weight`,
    gate: `${prefix}.mlp.gate_proj.weight`,
    up: `${prefix}.mlp.up_proj.weight`,
    down: `${prefix}.mlp.down_proj.weight`,
  };
}

export interface Trunk {
  /** Embedded tokens, [N, hidden]; where the gradient of the embedding is taken. */
  readonly embedded: Ref;
  /** Residual stream after the last layer, before the final norm, [N, hidden]. */
  readonly hidden: Ref;
}

/**
 * The decoder without its head: a pre-norm transformer with rotary positions, grouped-query attention and SwiGLU
 * (Touvron et al., 2302.13971). `parameter` gives the graph value of a parameter by its Hugging Face name.
 */
export function llamaTrunk(
  ad: Autodiff,
  config: ModelConfig,
  parameter: (name: string) => Ref,
  layout: TokenLayout,
): Trunk {
  const g = ad.graph;
  const { hiddenSize, rmsNormEps, numHeads, numKvHeads, headDim, numLayers } = config;
  const [queryWidth, keyWidth] = [numHeads * headDim, numKvHeads * headDim];
  const mask = causalMask(g, layout.length, numHeads / numKvHeads);
  const norm = (value: Ref, name: string) => rmsNorm(ad, value, parameter(name), hiddenSize, rmsNormEps);

  const embedded = g.op("Gather", [parameter(EMBEDDING), layout.ids]);
  let x = embedded;
  for (let layer = 0; layer < numLayers; layer++) {
    const names = layerNames(layer);
    const project = (value: Ref, name: string) => linear(ad, value, parameter(name));
    const a = norm(x, names.attentionNorm);
    const q = rotary(ad, layout.toGrid(project(a, names.query), queryWidth), layout.rope);
    const k = rotary(ad, layout.toGrid(project(a, names.key), keyWidth), layout.rope);
    const v = layout.toGrid(project(a, names.value), keyWidth);
    const mixed = layout.toRows(attention(ad, q, k, v, mask, config), queryWidth);
    x = add(ad, x, project(mixed, names.attentionOut));
    const m = norm(x, names.mlpNorm);
    x = add(ad, x, project(swiGlu(ad, project(m, names.gate), project(m, names.up)), names.down));
  }
  return { embedded, hidden: x };
}
