import {
  headName,
  layerNames,
  type ModelConfig,
  type ParameterRole,
  parameterSpecs,
} from "../../../core/formats/index.js";
import { elementCount } from "../runtime/index.js";
import { type Quantization, WEIGHT_BITS, type WeightBits } from "./quantization.js";
import type { MatrixShape } from "./quantized-matrix.js";

/** A parameter of the decode graph: one Hugging Face tensor, or several stacked along their first dimension. */
export interface DecodeParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly parts: readonly TensorPart[];
  /** Bits of each weight; null: float32. */
  readonly bits: WeightBits | null;
  /** A matrix stored as [inputs, outputs]. */
  readonly isTransposed: boolean;
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

const ROUNDED_HEAD = "rounded_head.weight";

/** The module that projects to queries, keys and values of a layer. */
export function qkvModule(config: ModelConfig, layer: number): string {
  const { qkv } = layerNames(config, layer);
  return typeof qkv === "string" ? qkv : `${config.names.layers}.${layer}.${STACKED_QKV}`;
}

/** The matrix of the head: a parameter of its own where it is rounded and the embedding, which it is tied to, is not. */
export function decodeHead(config: ModelConfig, quantization: Quantization | null): string {
  return quantization !== null && config.tieWordEmbeddings ? ROUNDED_HEAD : headName(config);
}

/** The two sides of a matrix, which some models store the other way round. */
export function matrixShape({ shape, isTransposed }: Pick<DecodeParameter, "shape" | "isTransposed">): MatrixShape {
  const [outputs, inputs] = isTransposed ? [shape[1], shape[0]] : shape;
  return { inputs, outputs };
}

/** All parameters of the decode graph, in the order of the model's own. */
export function decodeParameters(config: ModelConfig, quantization: Quantization | null = null): DecodeParameter[] {
  const stackedModules = new Map<string, string>();
  for (let layer = 0; layer < config.numLayers; layer++) {
    const { qkv } = layerNames(config, layer);
    if (typeof qkv === "string") continue;
    for (const module of qkv) stackedModules.set(module, qkvModule(config, layer));
  }
  const bitsOf = (role: ParameterRole) => (quantization === null ? null : (WEIGHT_BITS[quantization][role] ?? null));
  const parameters = new Map<string, DecodeParameter>();
  for (const { name, shape, role } of parameterSpecs(config)) {
    const dot = name.lastIndexOf(".");
    const stacked = (stackedModules.get(name.slice(0, dot)) ?? name.slice(0, dot)) + name.slice(dot);
    const above = parameters.get(stacked);
    parameters.set(stacked, {
      name: stacked,
      shape: [shape[0] + (above?.shape[0] ?? 0), ...shape.slice(1)],
      parts: [...(above?.parts ?? []), { name, shape, offset: elementCount(above?.shape ?? [0]) }],
      bits: bitsOf(role),
      isTransposed: config.transposedWeights && (role === "linear" || role === "residual"),
    });
  }
  const head = decodeHead(config, quantization);
  const embedding = parameters.get(headName(config));
  if (!parameters.has(head) && embedding) parameters.set(head, { ...embedding, name: head, bits: bitsOf("head") });
  return [...parameters.values()];
}
