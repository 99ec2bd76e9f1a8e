import { errors } from "../errors.js";
import type { OnnxDType } from "../proto/index.js";
import type { TensorArrays } from "./ort-runtime.js";

const CONSTRUCTORS: { readonly [T in OnnxDType]: new (buffer: ArrayBuffer) => TensorArrays[T] } = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

const BYTES: Readonly<Record<OnnxDType, number>> = {
  float32: 4,
  float64: 8,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int8: 1,
  uint8: 1,
  bool: 1,
};

/** Memory for a tensor, outside V8's heap from the start (small typed arrays otherwise begin inside it and may move). */
export function allocateTensorData<T extends OnnxDType>(dtype: T, length: number): TensorArrays[T] {
  return new CONSTRUCTORS[dtype](new ArrayBuffer(length * BYTES[dtype]));
}

/** A buffer as the elements of a tensor. */
export function viewOf<T extends OnnxDType>(dtype: T, buffer: ArrayBuffer): TensorArrays[T] {
  return new CONSTRUCTORS[dtype](buffer);
}

/** Number of elements of a shape; 1 for a scalar. */
export function elementCount(dims: readonly number[]): number {
  return dims.reduce((n, d) => n * d, 1);
}

/** Checks memory that is about to back a tensor, and moves it off V8's heap if it was there. */
export function adoptTensorData(dtype: OnnxDType, dims: readonly number[], data: TensorArrays[OnnxDType]): void {
  const expected = elementCount(dims);
  if (data.length !== expected || data.BYTES_PER_ELEMENT !== BYTES[dtype]) {
    throw errors.VERL_ONNX_BAD_TENSOR({
      what: `a ${dtype} tensor of shape [${dims}] needs ${expected} elements of ${BYTES[dtype]} bytes, the array has ${data.length} of ${data.BYTES_PER_ELEMENT}`,
    });
  }
  // Reading `buffer` makes V8 give an on-heap array its own memory; from then on its address is fixed.
  const buffer: ArrayBufferLike & { readonly resizable?: boolean } = data.buffer;
  if (buffer.resizable) throw errors.VERL_ONNX_BAD_TENSOR({ what: "the memory of a tensor may not be resizable" });
}
