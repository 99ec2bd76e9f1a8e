import { allocateTensorData, elementCount, type OrtRuntime, type OrtTensor } from "../runtime/index.js";

/**
 * Working memory of a backend: one buffer per purpose, grown as needed and used again, because fresh memory is expensive
 * to touch for the first time. Tensors made here live until `releaseAll`.
 */
export class Scratch {
  private readonly float32s = new Map<string, Float32Array>();
  private readonly int32s = new Map<string, Int32Array>();
  private made: OrtTensor[] = [];

  constructor(private readonly runtime: OrtRuntime) {}

  float32(purpose: string, dims: readonly number[]): OrtTensor<"float32"> {
    const length = elementCount(dims);
    let buffer = this.float32s.get(purpose);
    if (!buffer || buffer.length < length) {
      buffer = allocateTensorData("float32", capacityFor(length));
      this.float32s.set(purpose, buffer);
    }
    return this.keep(this.runtime.tensor("float32", dims, buffer.subarray(0, length)));
  }

  int32(purpose: string, dims: readonly number[]): OrtTensor<"int32"> {
    const length = elementCount(dims);
    let buffer = this.int32s.get(purpose);
    if (!buffer || buffer.length < length) {
      buffer = allocateTensorData("int32", capacityFor(length));
      this.int32s.set(purpose, buffer);
    }
    return this.keep(this.runtime.tensor("int32", dims, buffer.subarray(0, length)));
  }

  scalar(purpose: string, value: number): OrtTensor<"float32"> {
    const tensor = this.float32(purpose, []);
    tensor.data[0] = value;
    return tensor;
  }

  /** A tensor over memory that somebody else owns. */
  over(dims: readonly number[], data: Float32Array): OrtTensor<"float32">;
  over(dims: readonly number[], data: Int32Array): OrtTensor<"int32">;
  over(dims: readonly number[], data: Float32Array | Int32Array): OrtTensor {
    return this.keep(
      data instanceof Float32Array
        ? this.runtime.tensor("float32", dims, data)
        : this.runtime.tensor("int32", dims, data),
    );
  }

  releaseAll(): void {
    for (const tensor of this.made) tensor.release();
    this.made = [];
  }

  private keep<T extends OrtTensor>(tensor: T): T {
    this.made.push(tensor);
    return tensor;
  }
}

/** Some room to grow, so that slightly longer batches do not allocate again. */
function capacityFor(length: number): number {
  return Math.max(64, Math.ceil(length * 1.25));
}
