import { basename, dirname, join } from "node:path";
import { formatErrors } from "../errors.js";
import { RandomAccessFile } from "../random-access-file.js";
import { type GgufHeader, type GgufTensorInfo, type GgufValue, readGgufHeader } from "./header.js";
import { type Dequantise, READABLE_TYPES } from "./types.js";

/** About this many elements are expanded at a time. */
const CHUNK_ELEMENTS = 1 << 20;

export interface GgufTensor extends GgufTensorInfo {
  readonly file: RandomAccessFile;
}

/** A GGUF model: one file, or the first of the parts `NAME-00001-of-0000N.gguf` and the others beside it. */
export class GgufFile {
  private constructor(
    readonly path: string,
    readonly metadata: ReadonlyMap<string, GgufValue>,
    readonly tensors: ReadonlyMap<string, GgufTensor>,
    private readonly files: readonly RandomAccessFile[],
  ) {}

  static async open(path: string): Promise<GgufFile> {
    const files: RandomAccessFile[] = [];
    const tensors = new Map<string, GgufTensor>();
    const openPart = async (part: string): Promise<GgufHeader> => {
      const file = await RandomAccessFile.open(part);
      files.push(file);
      const header = await readGgufHeader(file);
      for (const [name, info] of header.tensors) {
        if (tensors.has(name)) throw invalid(part, `tensor "${name}" is in two parts`);
        tensors.set(name, { ...info, file });
      }
      return header;
    };
    try {
      const { metadata } = await openPart(path);
      const others = otherParts(path, metadata);
      for (const [index, part] of others.entries()) {
        const header = await openPart(part);
        if (header.metadata.get("split.no") !== index + 1) throw invalid(part, `this is not part ${index + 2}`);
      }
      const expected = metadata.get("split.tensors.count");
      if (others.length > 0 && expected !== undefined && expected !== tensors.size) {
        throw invalid(path, `the parts hold ${tensors.size} tensors, but the first one speaks of ${expected}`);
      }
      return new GgufFile(path, metadata, tensors, files);
    } catch (error) {
      await Promise.all(files.map((file) => file.close()));
      throw error;
    }
  }

  /** Expand a tensor to float32 in the order of the file. `out` has its element count. */
  async read(tensor: GgufTensor, out: Float32Array): Promise<void> {
    const { blockElements, blockBytes } = tensor.type;
    const blocks = out.length / blockElements;
    const chunkBlocks = Math.max(1, Math.min(CHUNK_ELEMENTS / blockElements, blocks));
    const buffer = new Uint8Array(chunkBlocks * blockBytes);
    for (let block = 0; block < blocks; block += chunkBlocks) {
      const count = Math.min(chunkBlocks, blocks - block);
      await this.readBlocks(
        tensor,
        block,
        out.subarray(block * blockElements, (block + count) * blockElements),
        buffer,
      );
    }
  }

  /** Expand the blocks from the given one on that `out` has room for; `buffer` holds as many of them as they are stored. */
  async readBlocks(tensor: GgufTensor, block: number, out: Float32Array, buffer: Uint8Array): Promise<void> {
    const { begin, file } = tensor;
    const { blockElements, blockBytes } = tensor.type;
    const bytes = buffer.subarray(0, (out.length / blockElements) * blockBytes);
    await file.read(begin + block * blockBytes, bytes);
    dequantiserOf(tensor)(bytes, out);
  }

  async close(): Promise<void> {
    await Promise.all(this.files.map((file) => file.close()));
  }
}

/** How to expand a tensor; refuses a type that is not read. */
export function dequantiserOf({ name, type, file }: GgufTensor): Dequantise {
  if (type.dequantise) return type.dequantise;
  throw formatErrors.VERL_FORMATS_DTYPE_UNSUPPORTED({
    what: `tensor "${name}" is stored as ${type.name}, which is not read`,
    where: file.path,
    why: `read are ${READABLE_TYPES.join(", ")}`,
  });
}

const PART_NAME = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/** The parts after the first; none for a file of its own. */
function otherParts(path: string, metadata: ReadonlyMap<string, GgufValue>): string[] {
  const count = metadata.get("split.count") ?? 0;
  if (typeof count !== "number") throw invalid(path, `split.count is ${String(count)}`);
  if (count <= 1) return [];
  const name = PART_NAME.exec(basename(path));
  if (name === null || Number(name[3]) !== count) {
    const pattern = `NAME-00001-of-${String(count).padStart(5, "0")}.gguf`;
    throw invalid(path, `the file is one of ${count} parts, and is not named ${pattern}`, "parts are found by name");
  }
  const partPath = (number: number) =>
    join(dirname(path), `${name[1]}-${String(number).padStart(5, "0")}-of-${name[3]}.gguf`);
  if (metadata.get("split.no") !== 0) {
    throw formatErrors.VERL_FORMATS_GGUF_INVALID({
      what: `this is part ${Number(name[2])} of ${count}`,
      where: path,
      why: "the first part describes the model",
      fix: `name ${partPath(1)}`,
    });
  }
  return Array.from({ length: count - 1 }, (_, i) => partPath(i + 2));
}

function invalid(where: string, what: string, why?: string): Error {
  return formatErrors.VERL_FORMATS_GGUF_INVALID({ what, where, why });
}
