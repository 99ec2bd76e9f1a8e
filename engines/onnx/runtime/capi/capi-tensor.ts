import { errors } from "../../errors.js";
import type { OnnxDType } from "../../proto/index.js";
import type { OrtTensor, TensorArrays } from "../ort-runtime.js";
import type { OrtApi, Pointer } from "./ort-api.js";

/** An OrtValue: over the caller's memory, or over a device's, of which the caller sees nothing. */
export class CApiTensor<T extends OnnxDType = OnnxDType> implements OrtTensor<T> {
  constructor(
    private readonly api: OrtApi,
    private value: Pointer,
    readonly dtype: T,
    readonly dims: readonly number[],
    readonly data: TensorArrays[T],
  ) {}

  get handle(): Pointer {
    if (this.value === 0n) throw errors.VERL_ONNX_BAD_TENSOR({ what: "a tensor was used after its release" });
    return this.value;
  }

  release(): void {
    if (this.value !== 0n) this.api.releaseValue(this.value);
    this.value = 0n;
  }
}

/** A shape as C wants it. */
export function shapeArray(dims: readonly number[]): BigInt64Array {
  const shape = new BigInt64Array(new ArrayBuffer(dims.length * 8));
  dims.forEach((d, i) => {
    shape[i] = BigInt(d);
  });
  return shape;
}
