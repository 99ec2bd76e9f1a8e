import type { ModelConfig } from "../model.js";
import { layerNames, type ParameterRole, type ParameterSpec } from "../param-names.js";

/** GGUF's names of a layer's modules by role, the same in every architecture that is read. */
const LAYER_MODULES = {
  attentionNorm: "attn_norm",
  queryNorm: "attn_q_norm",
  keyNorm: "attn_k_norm",
  attentionOut: "attn_output",
  attentionOutNorm: "post_attention_norm",
  mlpNorm: "ffn_norm",
  gate: "ffn_gate",
  up: "ffn_up",
  down: "ffn_down",
  mlpOutNorm: "post_ffw_norm",
} as const;

/** How GGUF stores a parameter. */
export interface StoredParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly role: ParameterRole;
  /** Matrices that Hugging Face stores [inputs, outputs] are [outputs, inputs] here. */
  readonly isTransposed: boolean;
  /** Heads of a query or key projection; null for anything else. */
  readonly rotaryHeads: number | null;
}

/** GGUF's name and shape of a Hugging Face parameter. A head that is not a language model's has none. */
export function storedParameters(config: ModelConfig, parameters: readonly ParameterSpec[]): StoredParameter[] {
  const modules = moduleNames(config);
  return parameters.map(({ name, shape, role }) => {
    const dot = name.lastIndexOf(".");
    const { module, rotaryHeads } = modules.get(name.slice(0, dot)) as ModuleName;
    const isTransposed = config.transposedWeights && (role === "linear" || role === "residual");
    const storedShape = isTransposed ? [...shape].reverse() : shape;
    return { name: module + name.slice(dot), shape: storedShape, role, isTransposed, rotaryHeads };
  });
}

interface ModuleName {
  readonly module: string;
  readonly rotaryHeads: number | null;
}

/** By the Hugging Face name of a module. */
function moduleNames(config: ModelConfig): Map<string, ModuleName> {
  const { names, numHeads, numKvHeads } = config;
  const modules = new Map<string, ModuleName>();
  const add = (name: string | undefined, module: string, rotaryHeads: number | null = null) => {
    if (name !== undefined) modules.set(name, { module, rotaryHeads });
  };
  add(names.embedding, "token_embd");
  add(names.positions, "position_embd");
  add(names.finalNorm, "output_norm");
  add(names.heads.languageModel, "output");
  for (let layer = 0; layer < config.numLayers; layer++) {
    const prefix = `blk.${layer}.`;
    const { qkv, ...others } = layerNames(config, layer);
    if (typeof qkv === "string") {
      add(qkv, `${prefix}attn_qkv`);
    } else {
      add(qkv[0], `${prefix}attn_q`, numHeads);
      add(qkv[1], `${prefix}attn_k`, numKvHeads);
      add(qkv[2], `${prefix}attn_v`);
    }
    for (const [role, module] of Object.entries(LAYER_MODULES)) {
      add(others[role as keyof typeof LAYER_MODULES], prefix + module);
    }
  }
  return modules;
}
