/** The part of `onnx.proto` that graph emission needs, as plain data. */

/** Element types by ONNX's own names. */
export type OnnxDType = "float32" | "uint8" | "int8" | "int32" | "int64" | "bool" | "float16" | "bfloat16" | "float64";

/** `TensorProto.DataType`. */
export const ONNX_DTYPE_CODES: Readonly<Record<OnnxDType, number>> = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
  bfloat16: 16,
};

/** A tensor whose values are part of the model, or lie in a file or in memory handed to the session. */
export interface OnnxTensor {
  readonly name: string;
  readonly dtype: OnnxDType;
  readonly dims: readonly number[];
  /** Little-endian row-major values, or the place of external data. */
  readonly data: ArrayBufferView | { readonly location: string; readonly offset: number; readonly length: number };
}

export type OnnxAttribute =
  | { readonly kind: "int"; readonly value: number }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "ints"; readonly value: readonly number[] }
  | { readonly kind: "tensor"; readonly value: OnnxTensor }
  | { readonly kind: "graph"; readonly value: OnnxGraph };

export interface OnnxNode {
  readonly name: string;
  readonly opType: string;
  /** Empty for the standard operators. */
  readonly domain: string;
  /** An empty name stands for an optional input that is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, OnnxAttribute>>;
}

/** A graph input or output; a dimension is a number or a symbol. Without dimensions it may have any shape. */
export interface OnnxValueInfo {
  readonly name: string;
  readonly dtype: OnnxDType;
  readonly dims: readonly (number | string)[] | null;
}

/** Nodes of a graph inside another's also take the other's values, by name. */
export interface OnnxGraph {
  readonly graphName: string;
  readonly nodes: readonly OnnxNode[];
  readonly inputs: readonly OnnxValueInfo[];
  readonly outputs: readonly OnnxValueInfo[];
  readonly initializers: readonly OnnxTensor[];
}

export interface OnnxModel extends OnnxGraph {
  readonly irVersion: number;
  /** Operator sets by domain. */
  readonly opsets: Readonly<Record<string, number>>;
}
