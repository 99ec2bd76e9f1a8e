/** Element types of tensors that cross a contract. Data of `bf16`/`f16` travels as raw bits in a `Uint16Array`. */
export type DType = "f32" | "f16" | "bf16" | "f64" | "i32" | "i64" | "u8" | "bool";

/**
 * A parameter under its Hugging Face name (`model.layers.0.self_attn.q_proj.weight`), row-major. Valid until the next
 * pull from the stream that yielded it, unless cloned: producers may reuse the memory.
 */
export interface NamedTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: Float32Array | Uint16Array | Float64Array | Int32Array | BigInt64Array | Uint8Array;
}
