import { layerNames, type ModelConfig, parameterSpecs } from "../../../core/formats/index.js";

/** A parameter of the decode graph: one Hugging Face tensor, or several stacked along their first dimension. */
export interface DecodeParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly parts: readonly TensorPart[];
}

export interface TensorPart {
  /** Hugging Face name. */
  readonly name: string;
  readonly shape: readonly number[];
  /** First element in the parameter. */
  readonly offset: number;
}

/** Queries, keys and values are one product: their weights lie one below the other, their biases one after the other. */
const STACKED_QKV = "self_attn.qkv_proj";

/** The module that projects to queries, keys and values of a layer. */
export function qkvModule(config: ModelConfig, layer: number): string {
  const { qkv } = layerNames(config, layer);
  return typeof qkv === "string" ? qkv : `${config.names.layers}.${layer}.${STACKED_QKV}`;
}

export function decodeParameters(config: ModelConfig): DecodeParameter[] {
  const stackedModules = new Map<string, string>();
  for (let layer = 0; layer < config.numLayers; layer++) {
    const { qkv } = layerNames(config, layer);
    if (typeof qkv === "string") continue;
    for (const module of qkv) stackedModules.set(module, qkvModule(config, layer));
  }
  const parameters = new Map<string, DecodeParameter>();
  for (const { name, shape } of parameterSpecs(config)) {
    const dot = name.lastIndexOf(".");
    const stacked = (stackedModules.get(name.slice(0, dot)) ?? name.slice(0, dot)) + name.slice(dot);
    const above = parameters.get(stacked);
    parameters.set(stacked, {
      name: stacked,
      shape: [shape[0] + (above?.shape[0] ?? 0), ...shape.slice(1)],
      parts: [...(above?.parts ?? []), { name, shape, offset: elements(above?.shape ?? [0]) }],
    });
  }
  return [...parameters.values()];
}

function elements(shape: readonly number[]): number {
  return shape.reduce((n, d) => n * d, 1);
}
