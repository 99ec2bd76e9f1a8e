import { dataErrors } from "../errors.js";
import type { DType, NamedTensor } from "./tensor.js";

export type TensorData = NamedTensor["data"];

/** A tensor of a batch, row-major, shape [B, …]. Treated as immutable: batches share its memory. */
export interface BatchTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** Float32 tensor [B, …] from numbers; the shape defaults to [length]. */
export function floatTensor(values: ArrayLike<number>, shape: readonly number[] = [values.length]): BatchTensor {
  return checked({ dtype: "f32", shape, data: Float32Array.from(values) });
}

/** Int32 tensor [B, …] from numbers; the shape defaults to [length]. */
export function intTensor(values: ArrayLike<number>, shape: readonly number[] = [values.length]): BatchTensor {
  return checked({ dtype: "i32", shape, data: Int32Array.from(values) });
}

/** The tensor, after a check that its shape has a batch dimension and holds its data. */
export function checked(tensor: BatchTensor, name = "tensor"): BatchTensor {
  const { shape, data } = tensor;
  const whole = shape.every((n) => Number.isInteger(n) && n >= 0);
  if (shape.length === 0 || !whole || shape.reduce((a, b) => a * b, 1) !== data.length) {
    throw dataErrors.VERL_BATCH_MISMATCH({
      what: `${name} has shape [${shape.join(", ")}] and ${data.length} elements`,
    });
  }
  return tensor;
}

/** Elements of one row. */
export function rowSize(tensor: BatchTensor): number {
  return tensor.shape.slice(1).reduce((a, b) => a * b, 1);
}

/** Rows `start` to `end` (exclusive) as a view of the same memory, [end − start, …]. */
export function viewRows(tensor: BatchTensor, start: number, end: number): BatchTensor {
  const size = rowSize(tensor);
  const data = tensor.data.subarray(start * size, end * size);
  return { ...tensor, shape: [end - start, ...tensor.shape.slice(1)], data };
}

/** The rows with these indices, copied, [indices, …]. */
export function gatherRows(tensor: BatchTensor, indices: ArrayLike<number>): BatchTensor {
  const size = rowSize(tensor);
  const data = allocate(tensor.data, indices.length * size);
  for (let i = 0; i < indices.length; i++) {
    copyInto(data, tensor.data.subarray(indices[i] * size, (indices[i] + 1) * size), i * size);
  }
  return { ...tensor, shape: [indices.length, ...tensor.shape.slice(1)], data };
}

/** Rows of all tensors, one after the other; element type and shape of a row must agree. */
export function concatRows(tensors: readonly BatchTensor[], name: string): BatchTensor {
  const [first] = tensors;
  const tail = first.shape.slice(1).join(", ");
  let rows = 0;
  for (const { dtype, shape } of tensors) {
    if (dtype !== first.dtype || shape.slice(1).join(", ") !== tail) {
      throw dataErrors.VERL_BATCH_MISMATCH({
        what: `rows of ${name} differ: ${first.dtype} [${tail}] and ${dtype} [${shape.slice(1).join(", ")}]`,
      });
    }
    rows += shape[0];
  }
  const data = allocate(first.data, rows * rowSize(first));
  let at = 0;
  for (const tensor of tensors) {
    copyInto(data, tensor.data, at);
    at += tensor.data.length;
  }
  return { dtype: first.dtype, shape: [rows, ...first.shape.slice(1)], data };
}

/** Same type, shape and values; NaN equals NaN. */
export function equalTensors(a: BatchTensor, b: BatchTensor): boolean {
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join()) return false;
  for (let i = 0; i < a.data.length; i++) {
    const [x, y] = [a.data[i], b.data[i]];
    if (x !== y && !(Number.isNaN(x) && Number.isNaN(y))) return false;
  }
  return true;
}

function allocate(like: TensorData, length: number): TensorData {
  return new (like.constructor as new (length: number) => TensorData)(length);
}

/** Both have the type of one tensor, which the compiler cannot see. */
function copyInto(target: TensorData, source: TensorData, at: number): void {
  (target as Float64Array).set(source as Float64Array, at);
}
