import type { OnnxDType } from "../../proto/index.js";
import type { OrtTensor, TensorArrays } from "../ort-runtime.js";

/** A tensor in the caller's memory, with a copy that goes to the worker thread. */
export class BindingTensor<T extends OnnxDType = OnnxDType> implements OrtTensor<T> {
  /** Memory of the same size that travels to the worker thread and back; made on first use. */
  private copy: ArrayBuffer | null = null;

  constructor(
    readonly dtype: T,
    readonly dims: readonly number[],
    readonly data: TensorArrays[T],
  ) {}

  /** The travelling memory, with the tensor's values in it where they are fed. The caller gives it back. */
  take(withValues: boolean): ArrayBuffer {
    const buffer = this.copy ?? new ArrayBuffer(this.data.byteLength);
    this.copy = null;
    if (withValues) new Uint8Array(buffer).set(this.bytes);
    return buffer;
  }

  /** Puts the travelling memory back, and its values into the tensor where they were fetched. */
  giveBack(buffer: ArrayBuffer, withValues: boolean): void {
    if (withValues) this.bytes.set(new Uint8Array(buffer));
    this.copy = buffer;
  }

  release(): void {
    this.copy = null;
  }

  private get bytes(): Uint8Array {
    const { buffer, byteOffset, byteLength } = this.data;
    return new Uint8Array(buffer, byteOffset, byteLength);
  }
}
