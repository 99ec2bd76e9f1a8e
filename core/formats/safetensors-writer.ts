import type { FileHandle } from "node:fs/promises";
import type { NamedTensor } from "../data/tensor.js";
import { writeFileAtomically } from "./atomic-file.js";
import { formatErrors } from "./errors.js";
import { bf16ToF32, f16ToF32, f32ToBf16, f32ToF16 } from "./half.js";

/** Types in which weights can be written. */
export type WeightDType = "f32" | "bf16" | "f16";

/** A tensor that is going to be written. */
export interface TensorSpec {
  readonly name: string;
  readonly shape: readonly number[];
}

export interface WriteSafetensorsOptions {
  /** Names and shapes, known before the first tensor arrives; the header is made from them. */
  readonly layout: readonly TensorSpec[];
  readonly dtype: WeightDType;
  /** Default `{ format: "pt" }`, which Hugging Face's loaders ask for. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Write tensors as they arrive, in any order, each exactly once. One tensor is in memory at a time. The file gets its name
 * only when it is complete and synced.
 */
export async function writeSafetensors(
  path: string,
  tensors: AsyncIterable<NamedTensor> | Iterable<NamedTensor>,
  options: WriteSafetensorsOptions,
): Promise<void> {
  const { layout, dtype } = options;
  const elementBytes = dtype === "f32" ? 4 : 2;
  const header: [string, unknown][] = [["__metadata__", options.metadata ?? { format: "pt" }]];
  const pending = new Map<string, { readonly shape: readonly number[]; readonly offset: number }>();
  let size = 0;
  for (const { name, shape } of layout) {
    if (pending.has(name)) throw mismatch(path, `tensor "${name}" is announced twice`);
    pending.set(name, { shape, offset: size });
    const end = size + elementCount(shape) * elementBytes;
    header.push([name, { dtype: dtype.toUpperCase(), shape, data_offsets: [size, end] }]);
    size = end;
  }
  const headerBytes = encodeHeader(Object.fromEntries(header));

  await writeFileAtomically(path, async (file) => {
    await writeAll(file, headerBytes, 0);
    for await (const tensor of tensors) {
      const slot = pending.get(tensor.name);
      if (!slot) throw mismatch(path, `tensor "${tensor.name}" was not announced or came twice`);
      if (!sameShape(tensor.shape, slot.shape) || tensor.data.length !== elementCount(slot.shape)) {
        throw mismatch(
          path,
          `tensor "${tensor.name}" has shape [${tensor.shape}] and ${tensor.data.length} elements; announced was [${slot.shape}]`,
        );
      }
      pending.delete(tensor.name);
      await writeAll(file, encodeTensor(tensor, dtype, path), headerBytes.length + slot.offset);
    }
    if (pending.size > 0) {
      throw mismatch(path, `${pending.size} announced tensors never came, first "${[...pending.keys()][0]}"`);
    }
  });
}

/** Length prefix and JSON, padded with spaces so that the data starts at a multiple of 8. */
function encodeHeader(header: Record<string, unknown>): Uint8Array {
  const json = Buffer.from(JSON.stringify(header), "utf8");
  const padded = Math.ceil(json.length / 8) * 8;
  const out = Buffer.alloc(8 + padded, 0x20);
  out.writeBigUInt64LE(BigInt(padded), 0);
  json.copy(out, 8);
  return out;
}

function encodeTensor(tensor: NamedTensor, dtype: WeightDType, path: string): Uint8Array {
  if (tensor.dtype === dtype) return bytesOf(tensor.data);
  const values = asF32(tensor, path);
  return bytesOf(dtype === "f32" ? values : dtype === "bf16" ? f32ToBf16(values) : f32ToF16(values));
}

function asF32(tensor: NamedTensor, path: string): Float32Array {
  switch (tensor.dtype) {
    case "f32":
      return tensor.data as Float32Array;
    case "bf16":
      return bf16ToF32(tensor.data as Uint16Array);
    case "f16":
      return f16ToF32(tensor.data as Uint16Array);
    case "f64":
      return Float32Array.from(tensor.data as Float64Array);
    default:
      throw formatErrors.VERL_FORMATS_DTYPE_UNSUPPORTED({
        what: `tensor "${tensor.name}" is ${tensor.dtype}; only floating-point weights are written`,
        where: path,
      });
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(bytes.length - done, 1 << 26);
    done += (await file.write(bytes, done, length, position + done)).bytesWritten;
  }
}

function bytesOf(data: NamedTensor["data"]): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}

function mismatch(path: string, what: string): Error {
  return formatErrors.VERL_FORMATS_STREAM_MISMATCH({ what, where: path });
}
