import { formatErrors } from "../errors.js";
import type { HeadKind, ModelConfig, ModelSource, TokenizerFiles } from "../model.js";
import { isNewHead, parameterSpecs } from "../param-names.js";
import { RandomAccessFile } from "../random-access-file.js";
import { ggufModelConfig } from "./gguf-config.js";
import { ggufName, rotaryHeads } from "./gguf-names.js";
import { ggufTokenizerFiles } from "./gguf-tokenizer.js";
import { type GgufHeader, type GgufTensorInfo, readGgufHeader } from "./header.js";
import { restoreRotaryRows } from "./rotary-rows.js";

/** About this many elements are dequantised at a time. */
const CHUNK_ELEMENTS = 1 << 20;

/** Open a GGUF file of the llama family. Quantised tensors are expanded to float32 when they are read. */
export async function openGguf(path: string, head?: HeadKind): Promise<ModelSource> {
  const file = await RandomAccessFile.open(path);
  try {
    const header = await readGgufHeader(file);
    return new GgufSource(file, header, ggufModelConfig(header, path, head));
  } catch (error) {
    await file.close();
    throw error;
  }
}

class GgufSource implements ModelSource {
  readonly format = "gguf";
  readonly path: string;
  readonly tensors: ModelSource["tensors"];

  constructor(
    private readonly file: RandomAccessFile,
    private readonly header: GgufHeader,
    readonly config: ModelConfig,
  ) {
    this.path = file.path;
    this.tensors = parameterSpecs(config).filter((parameter) => !isNewHead(config, parameter));
    for (const { name, shape } of this.tensors) {
      const info = this.find(name);
      if (info.shape.join() === shape.join()) continue;
      throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
        what: `tensor "${info.name}" has shape [${info.shape.join(", ")}], but the metadata ask for [${shape.join(", ")}]`,
        where: this.path,
      });
    }
  }

  async readTensor(name: string, into?: Float32Array) {
    const { shape, type, begin, name: storedName } = this.find(name);
    const count = shape.reduce((product, size) => product * size, 1);
    if (into !== undefined && into.length !== count) {
      throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
        what: `tensor "${storedName}" has ${count} elements, but the buffer for it has ${into.length}`,
        where: this.path,
      });
    }
    const data = into ?? new Float32Array(count);
    const { blockElements, blockBytes, dequantise } = type;
    const chunkBlocks = Math.max(1, Math.min(CHUNK_ELEMENTS, count) / blockElements);
    const buffer = new Uint8Array(chunkBlocks * blockBytes);
    for (let block = 0; block * blockElements < count; block += chunkBlocks) {
      const blocks = Math.min(chunkBlocks, count / blockElements - block);
      const bytes = buffer.subarray(0, blocks * blockBytes);
      await this.file.read(begin + block * blockBytes, bytes);
      dequantise(bytes, data.subarray(block * blockElements, (block + blocks) * blockElements));
    }
    const heads = rotaryHeads(name, this.config);
    if (heads !== null) restoreRotaryRows(data, heads, shape[1]);
    return { name, dtype: "f32" as const, shape, data };
  }

  async tokenizerFiles(): Promise<TokenizerFiles | null> {
    return ggufTokenizerFiles(this.header.metadata, this.path);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private find(name: string): GgufTensorInfo {
    const stored = ggufName(name);
    const info = stored === null ? undefined : this.header.tensors.get(stored);
    if (info) return info;
    throw formatErrors.VERL_FORMATS_TENSOR_MISSING({
      what: `there is no tensor "${stored ?? name}"${stored ? ` (${name})` : ""}`,
      where: this.path,
    });
  }
}
