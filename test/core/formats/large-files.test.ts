import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { openModel, SafetensorsReader } from "../../../core/formats/index.js";
import { ggufBytes } from "./gguf/gguf-bytes.js";
import { tinyGgufTensors, tinyMetadata } from "./gguf/tiny-gguf.js";
import { tinyConfig, tinyTensors, withFolder } from "./support.js";

/** Above what 32 bits count, signed or not. */
const FAR = 5 * 2 ** 30;
const VALUES = Float32Array.of(0.5, -3, 1e-8);

/** A file with a hole: it has the size, and takes no space on file systems that know holes. */
async function writeSparse(path: string, head: Uint8Array, tail: Uint8Array, tailAt: number): Promise<void> {
  const file = await open(path, "w");
  await file.write(head, 0, head.length, 0);
  await file.write(tail, 0, tail.length, tailAt);
  await file.close();
}

describe("files above 4 GiB", () => {
  it("safetensors: a tensor behind 5 GiB of others", () =>
    withFolder(async (folder) => {
      const path = join(folder, "model.safetensors");
      const header = Buffer.from(
        JSON.stringify({
          filler: { dtype: "U8", shape: [FAR], data_offsets: [0, FAR] },
          far: { dtype: "F32", shape: [3], data_offsets: [FAR, FAR + 12] },
        }),
      );
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(header.length));
      await writeSparse(path, Buffer.concat([length, header]), new Uint8Array(VALUES.buffer), 8 + header.length + FAR);
      expect((await stat(path)).size).to.be.above(2 ** 32);
      const reader = await SafetensorsReader.open(path);
      expect((await reader.readF32("far")).data).to.deep.equal(VALUES);
      await reader.close();
    }));

  it("GGUF: tensors behind 5 GiB of nothing", () =>
    withFolder(async (folder) => {
      const path = join(folder, "model.gguf");
      const stored = tinyGgufTensors();
      const bytes = ggufBytes(tinyMetadata(), stored, { dataOffset: FAR });
      const dataBytes = stored.reduce((sum, { data }) => sum + Math.ceil(data.length / 32) * 32, 0);
      const headBytes = bytes.length - dataBytes;
      await writeSparse(path, bytes.subarray(0, headBytes), bytes.subarray(headBytes), headBytes + FAR);
      const model = await openModel(path);
      for (const tensor of tinyTensors(tinyConfig())) expect(await model.readTensor(tensor.name)).to.deep.equal(tensor);
      await model.close();
    }));
});
