import type { NamedTensor } from "../data/batch/tensor.js";
import { AtomicFile } from "./atomic-file.js";
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

/** One of the files that a stream of tensors is written to. */
export interface SafetensorsShard {
  readonly path: string;
  readonly layout: readonly TensorSpec[];
}

type Tensors = AsyncIterable<NamedTensor> | Iterable<NamedTensor>;

/**
 * Write tensors as they arrive, in any order, each exactly once. One tensor is in memory at a time. The file gets its name
 * only when it is complete and synced.
 */
export async function writeSafetensors(
  path: string,
  tensors: Tensors,
  { layout, ...options }: WriteSafetensorsOptions,
): Promise<void> {
  await writeSafetensorsShards([{ path, layout }], tensors, options);
}

/** As {@link writeSafetensors}, to several files at once; none has its name before all are complete. */
export async function writeSafetensorsShards(
  shards: readonly SafetensorsShard[],
  tensors: Tensors,
  { dtype, metadata }: Omit<WriteSafetensorsOptions, "layout">,
): Promise<void> {
  const files: AtomicFile[] = [];
  const pending = new Map<string, Slot>();
  try {
    for (const { path, layout } of shards) {
      const file = await AtomicFile.create(path);
      files.push(file);
      const { header, positions } = encodeHeader(layout, dtype, metadata ?? { format: "pt" });
      await writeAll(file, header, 0);
      for (const [i, { name, shape }] of layout.entries()) {
        if (pending.has(name)) throw mismatch(path, `tensor "${name}" is announced twice`);
        pending.set(name, { file, shape, position: positions[i] });
      }
    }
    for await (const tensor of tensors) await writeTensor(tensor, take(pending, tensor, shards[0].path), dtype);
    for (const [name, { file }] of pending) {
      throw mismatch(file.path, `${pending.size} announced tensors never came, first "${name}"`);
    }
    for (const file of files) await file.commit();
  } catch (error) {
    for (const file of files) await file.discard();
    throw error;
  }
}

/** Where an announced tensor goes. */
interface Slot {
  readonly file: AtomicFile;
  readonly shape: readonly number[];
  readonly position: number;
}

function take(pending: Map<string, Slot>, tensor: NamedTensor, path: string): Slot {
  const { name, shape, data } = tensor;
  const slot = pending.get(name);
  if (!slot) throw mismatch(path, `tensor "${name}" was not announced or came twice`);
  if (shape.join() !== slot.shape.join() || data.length !== elementCount(slot.shape)) {
    throw mismatch(
      slot.file.path,
      `tensor "${name}" has shape [${shape}] and ${data.length} elements; announced was [${slot.shape}]`,
    );
  }
  pending.delete(name);
  return slot;
}

/** Bytes of a tensor in a file. */
export function storedBytes({ shape }: TensorSpec, dtype: WeightDType): number {
  return elementCount(shape) * (dtype === "f32" ? 4 : 2);
}

/** Length prefix and JSON, padded with spaces so that the data starts at a multiple of 8; and where each tensor starts. */
function encodeHeader(layout: readonly TensorSpec[], dtype: WeightDType, metadata: Readonly<Record<string, string>>) {
  const entries: [string, unknown][] = [["__metadata__", metadata]];
  const offsets: number[] = [];
  let size = 0;
  for (const spec of layout) {
    const end = size + storedBytes(spec, dtype);
    entries.push([spec.name, { dtype: dtype.toUpperCase(), shape: spec.shape, data_offsets: [size, end] }]);
    offsets.push(size);
    size = end;
  }
  const json = Buffer.from(JSON.stringify(Object.fromEntries(entries)), "utf8");
  const padded = Math.ceil(json.length / 8) * 8;
  const header = Buffer.alloc(8 + padded, 0x20);
  header.writeBigUInt64LE(BigInt(padded), 0);
  json.copy(header, 8);
  return { header, positions: offsets.map((offset) => header.length + offset) };
}

async function writeTensor(tensor: NamedTensor, { file, position }: Slot, dtype: WeightDType): Promise<void> {
  if (tensor.dtype === dtype) return writeAll(file, bytesOf(tensor.data), position);
  const values = asF32(tensor, file.path);
  if (dtype === "f16") requireF16Range(tensor.name, values, file.path);
  const converted = dtype === "f32" ? values : dtype === "bf16" ? f32ToBf16(values) : f32ToF16(values);
  await writeAll(file, bytesOf(converted), position);
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

/** Above this a finite number rounds to infinity in IEEE binary16. */
const F16_LIMIT = 65520;

function requireF16Range(name: string, values: Float32Array, where: string): void {
  const tooLarge = values.find((value) => Math.abs(value) >= F16_LIMIT && Number.isFinite(value));
  if (tooLarge === undefined) return;
  throw formatErrors.VERL_FORMATS_OUT_OF_RANGE({
    what: `tensor "${name}" holds ${tooLarge}, and f16 ends at 65504`,
    where,
  });
}

async function writeAll({ handle }: AtomicFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(bytes.length - done, 1 << 26);
    done += (await handle.write(bytes, done, length, position + done)).bytesWritten;
  }
}

function bytesOf(data: NamedTensor["data"]): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function mismatch(path: string, what: string): Error {
  return formatErrors.VERL_FORMATS_STREAM_MISMATCH({ what, where: path });
}
