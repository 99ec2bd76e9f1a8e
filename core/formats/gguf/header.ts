import { formatErrors } from "../errors.js";
import type { RandomAccessFile } from "../random-access-file.js";
import { ByteCursor, NeedMoreBytes } from "./byte-cursor.js";
import { type GgufType, ggufType } from "./types.js";

export type GgufValue = number | bigint | boolean | string | readonly GgufValue[];

export interface GgufTensorInfo {
  readonly name: string;
  /** Row-major, as in Hugging Face: the reverse of the order in the file. */
  readonly shape: readonly number[];
  readonly type: GgufType;
  /** Absolute position of the first block. */
  readonly begin: number;
}

export interface GgufHeader {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: ReadonlyMap<string, GgufTensorInfo>;
}

/** Far above the tokens and merges of the largest vocabularies; what claims more is not a header. */
const MAX_HEADER_BYTES = 256 * 1024 * 1024;
const FIRST_READ_BYTES = 4 * 1024 * 1024;
/** Values take more memory than bytes in the file, so their number is bounded too; real files hold about a million. */
const MAX_VALUES = 2 ** 23;
const MAX_ARRAY_DEPTH = 4;
const MAX_RANK = 4;
/** name length, rank, type, offset */
const MIN_TENSOR_INFO_BYTES = 24;
/** key length, type, smallest value */
const MIN_METADATA_BYTES = 13;

/**
 * Read metadata and tensor table of a GGUF file (versions 2 and 3). Every count and length is checked against the size of
 * the file before anything is allocated for it.
 */
export async function readGgufHeader(file: RandomAccessFile): Promise<GgufHeader> {
  const limit = Math.min(file.size, MAX_HEADER_BYTES);
  for (let length = Math.min(limit, FIRST_READ_BYTES); ; ) {
    const bytes = await file.bytes(0, length);
    try {
      return new HeaderParser(bytes, file).parse();
    } catch (error) {
      if (!(error instanceof NeedMoreBytes)) throw error;
      if (error.needed > limit) {
        const why = limit < file.size ? `the header does not end within ${limit} bytes` : "the file is cut off";
        throw invalid(file, `the header needs byte ${error.needed}, but the file has ${file.size}`, why);
      }
      length = Math.min(limit, Math.max(2 * length, error.needed));
    }
  }
}

class HeaderParser {
  private readonly cursor: ByteCursor;
  private values = 0;

  constructor(
    bytes: Uint8Array,
    private readonly file: RandomAccessFile,
  ) {
    this.cursor = new ByteCursor(bytes);
  }

  parse(): GgufHeader {
    const { cursor } = this;
    if (cursor.utf8(4) !== "GGUF") throw this.bad("the file does not start with GGUF");
    const version = cursor.u32();
    if (version !== 2 && version !== 3) {
      const bigEndian = version !== 0 && (version & 0xffff) === 0;
      throw this.bad(
        bigEndian ? "the file is big-endian" : `the file has GGUF version ${version}`,
        "little-endian files of the versions 2 and 3 are read",
      );
    }
    const tensorCount = this.count("tensors", MIN_TENSOR_INFO_BYTES);
    const metadataCount = this.count("metadata entries", MIN_METADATA_BYTES);
    const metadata = this.parseMetadata(metadataCount);
    const infos = Array.from({ length: tensorCount }, () => this.parseTensorInfo());
    return { version, metadata, tensors: this.placeTensors(infos, alignmentOf(metadata, this.bad)) };
  }

  private parseMetadata(count: number): Map<string, GgufValue> {
    const metadata = new Map<string, GgufValue>();
    for (let i = 0; i < count; i++) {
      const key = this.string("a metadata key");
      if (metadata.has(key)) throw this.bad(`metadata "${key}" is there twice`);
      metadata.set(key, this.value(this.cursor.u32(), key, 0));
    }
    return metadata;
  }

  private value(type: number, key: string, depth: number): GgufValue {
    if (type === ARRAY) return this.array(key, depth);
    if (type === STRING) return this.string(`metadata "${key}"`);
    const scalar = SCALARS[type];
    if (!scalar) throw this.bad(`metadata "${key}" has the unknown type ${type}`);
    return scalar.read(this.cursor);
  }

  private array(key: string, depth: number): GgufValue {
    if (depth === MAX_ARRAY_DEPTH) throw this.bad(`metadata "${key}" nests arrays more than ${MAX_ARRAY_DEPTH} deep`);
    const type = this.cursor.u32();
    const smallest = type === STRING ? 8 : type === ARRAY ? 12 : SCALARS[type]?.bytes;
    if (smallest === undefined) throw this.bad(`metadata "${key}" is an array of the unknown type ${type}`);
    const count = this.count(`elements of metadata "${key}"`, smallest);
    return Array.from({ length: count }, () => this.value(type, key, depth + 1));
  }

  private parseTensorInfo(): { name: string; shape: number[]; type: GgufType; offset: number } {
    const name = this.string("a tensor name");
    const rank = this.cursor.u32();
    if (rank > MAX_RANK) throw this.bad(`tensor "${name}" claims ${rank} dimensions; the limit is ${MAX_RANK}`);
    const shape = Array.from({ length: rank }, () => this.size(`a dimension of tensor "${name}"`)).reverse();
    const typeId = this.cursor.u32();
    const type = ggufType(typeId);
    if (!type) {
      throw formatErrors.VERL_FORMATS_DTYPE_UNSUPPORTED({
        what: `tensor "${name}" is stored in GGUF type ${typeId}, which is not supported`,
        where: this.file.path,
      });
    }
    return { name, shape, type, offset: this.size(`the offset of tensor "${name}"`) };
  }

  private placeTensors(
    infos: readonly { name: string; shape: number[]; type: GgufType; offset: number }[],
    alignment: number,
  ): Map<string, GgufTensorInfo> {
    const dataStart = Math.ceil(this.cursor.position / alignment) * alignment;
    const tensors = new Map<string, GgufTensorInfo>();
    for (const { name, shape, type, offset } of infos) {
      if (tensors.has(name)) throw this.bad(`tensor "${name}" is there twice`);
      if (offset % alignment !== 0) {
        throw this.bad(`tensor "${name}" starts at ${offset}, which is not a multiple of the alignment ${alignment}`);
      }
      const columns = shape.at(-1) ?? 1;
      if (columns % type.blockElements !== 0) {
        throw this.bad(
          `tensor "${name}" has rows of ${columns}, not whole ${type.name} blocks of ${type.blockElements}`,
        );
      }
      const elements = shape.reduce((product, size) => product * size, 1);
      const end = dataStart + offset + (elements / type.blockElements) * type.blockBytes;
      if (!(end <= this.file.size)) {
        throw this.bad(
          `tensor "${name}" (${type.name} [${shape.join(", ")}]) ends at byte ${end}, but the file has ${this.file.size}`,
          "the file is cut off or its tensor table is damaged",
        );
      }
      tensors.set(name, { name, shape, type, begin: dataStart + offset });
    }
    return tensors;
  }

  private string(what: string): string {
    const length = this.size(`the length of ${what}`);
    if (this.cursor.position + length > this.file.size) {
      throw this.bad(
        `${what} claims ${length} bytes at byte ${this.cursor.position}`,
        `the file has ${this.file.size}`,
      );
    }
    return this.cursor.utf8(length);
  }

  /** A number of things of which each takes at least `bytesEach` of what is left of the file. */
  private count(what: string, bytesEach: number): number {
    const count = this.size(`the number of ${what}`);
    if (count * bytesEach > this.file.size - this.cursor.position) {
      throw this.bad(`the header claims ${count} ${what}`, `the file has only ${this.file.size} bytes`);
    }
    this.values += count;
    if (this.values > MAX_VALUES) throw this.bad(`the header claims ${count} ${what}`, `the limit is ${MAX_VALUES}`);
    return count;
  }

  private size(what: string): number {
    const value = this.cursor.u64();
    if (typeof value === "bigint") throw this.bad(`${what} is ${value}`);
    return value;
  }

  private bad = (what: string, why?: string): Error => invalid(this.file, what, why);
}

function alignmentOf(metadata: ReadonlyMap<string, GgufValue>, bad: (what: string) => Error): number {
  const alignment = metadata.get("general.alignment") ?? 32;
  if (
    typeof alignment !== "number" ||
    alignment < 1 ||
    alignment > 2 ** 20 ||
    !Number.isInteger(Math.log2(alignment))
  ) {
    throw bad(`general.alignment is ${String(alignment)}, not a power of two`);
  }
  return alignment;
}

function invalid(file: RandomAccessFile, what: string, why?: string): Error {
  return formatErrors.VERL_FORMATS_GGUF_INVALID({ what, where: file.path, why });
}

const STRING = 8;
const ARRAY = 9;

const SCALARS: Readonly<Record<number, { bytes: number; read(cursor: ByteCursor): GgufValue }>> = {
  0: { bytes: 1, read: (c) => c.u8() },
  1: { bytes: 1, read: (c) => c.i8() },
  2: { bytes: 2, read: (c) => c.u16() },
  3: { bytes: 2, read: (c) => c.i16() },
  4: { bytes: 4, read: (c) => c.u32() },
  5: { bytes: 4, read: (c) => c.i32() },
  6: { bytes: 4, read: (c) => c.f32() },
  7: { bytes: 1, read: (c) => c.u8() !== 0 },
  10: { bytes: 8, read: (c) => c.u64() },
  11: { bytes: 8, read: (c) => c.i64() },
  12: { bytes: 8, read: (c) => c.f64() },
};
