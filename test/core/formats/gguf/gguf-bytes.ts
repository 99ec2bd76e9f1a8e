/** A small GGUF writer, enough to build valid and damaged files for the tests. */

export type MetadataValue =
  | { readonly type: "u32" | "f32" | "bool" | "u64"; readonly value: number }
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "texts"; readonly value: readonly string[] }
  | { readonly type: "i32s"; readonly value: readonly number[] }
  | { readonly type: "raw"; readonly value: Uint8Array };

export interface GgufTensorBytes {
  readonly name: string;
  /** Row-major. */
  readonly shape: readonly number[];
  readonly type: number;
  readonly data: Uint8Array;
}

export const u32 = (value: number): MetadataValue => ({ type: "u32", value });
export const f32 = (value: number): MetadataValue => ({ type: "f32", value });
export const bool = (value: boolean): MetadataValue => ({ type: "bool", value: value ? 1 : 0 });
export const text = (value: string): MetadataValue => ({ type: "text", value });
export const texts = (value: readonly string[]): MetadataValue => ({ type: "texts", value });
export const i32s = (value: readonly number[]): MetadataValue => ({ type: "i32s", value });

export function ggufBytes(
  metadata: Readonly<Record<string, MetadataValue>>,
  tensors: readonly GgufTensorBytes[],
  { version = 3, alignment = 32, dataOffset = 0 } = {},
): Buffer {
  const head: Uint8Array[] = [Buffer.from("GGUF"), int32(version), int64(tensors.length)];
  head.push(int64(Object.keys(metadata).length));
  for (const [key, value] of Object.entries(metadata)) head.push(string(key), valueBytes(value));
  let offset = dataOffset;
  const data: Uint8Array[] = [];
  for (const { name, shape, type, data: bytes } of tensors) {
    head.push(string(name), int32(shape.length), ...[...shape].reverse().map(int64), int32(type), int64(offset));
    const padded = padTo(bytes, alignment);
    data.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([padTo(Buffer.concat(head), alignment), ...data]);
}

export function f32Tensor(name: string, shape: readonly number[], values: Float32Array): GgufTensorBytes {
  return { name, shape, type: 0, data: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) };
}

export function int32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeInt32LE(value | 0);
  return out;
}

export function int64(value: number | bigint): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(BigInt(value));
  return out;
}

export function string(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  return Buffer.concat([int64(bytes.length), bytes]);
}

function valueBytes(value: MetadataValue): Uint8Array {
  switch (value.type) {
    case "u32":
      return Buffer.concat([int32(4), int32(value.value)]);
    case "u64":
      return Buffer.concat([int32(10), int64(value.value)]);
    case "f32":
      return Buffer.concat([int32(6), Buffer.from(Float32Array.of(value.value).buffer)]);
    case "bool":
      return Buffer.concat([int32(7), Buffer.of(value.value)]);
    case "text":
      return Buffer.concat([int32(8), string(value.value)]);
    case "texts":
      return Buffer.concat([int32(9), int32(8), int64(value.value.length), ...value.value.map(string)]);
    case "i32s":
      return Buffer.concat([int32(9), int32(5), int64(value.value.length), ...value.value.map(int32)]);
    case "raw":
      return value.value;
  }
}

function padTo(bytes: Uint8Array, alignment: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((alignment - (bytes.length % alignment)) % alignment)]);
}
