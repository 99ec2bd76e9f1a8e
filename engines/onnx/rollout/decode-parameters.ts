import { type ModelConfig, parameterSpecs } from "../../../core/formats/index.js";

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

/** Queries, keys and values are one product: their weights lie one below the other. */
export const QKV = "self_attn.qkv_proj.weight";

export function decodeParameters(config: ModelConfig): DecodeParameter[] {
  const parameters = new Map<string, DecodeParameter>();
  for (const { name, shape } of parameterSpecs(config)) {
    const stacked = name.replace(/self_attn\.[qkv]_proj\.weight$/, QKV);
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
