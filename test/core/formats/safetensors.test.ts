import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import type { NamedTensor } from "../../../core/data/batch/tensor.js";
import { SafetensorsReader, writeSafetensors } from "../../../core/formats/index.js";
import { isVerlError } from "../../../core/host/errors.js";
import { errorOf, withFolder } from "./support.js";

const A: NamedTensor = { name: "a", dtype: "f32", shape: [2, 3], data: Float32Array.of(1, 2, 3, -4, 0.5, 1e-8) };
const B: NamedTensor = { name: "b", dtype: "f32", shape: [2], data: Float32Array.of(7, 8) };
const LAYOUT = [A, B].map(({ name, shape }) => ({ name, shape }));

/** A file with this header (object or text) and as many zero bytes after it. */
function fileOf(header: unknown, dataBytes: number): Uint8Array {
  const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(dataBytes)]);
}

async function openBytes(folder: string, bytes: Uint8Array): Promise<SafetensorsReader> {
  const path = join(folder, "model.safetensors");
  await writeFile(path, bytes);
  return SafetensorsReader.open(path);
}

describe("safetensors", () => {
  it("writes tensors in any order and reads them back", () =>
    withFolder(async (folder) => {
      const path = join(folder, "model.safetensors");
      await writeSafetensors(path, [B, A], { layout: LAYOUT, dtype: "f32" });
      const reader = await SafetensorsReader.open(path);
      expect(reader.names).to.deep.equal(["a", "b"]);
      expect(reader.metadata).to.deep.equal({ format: "pt" });
      expect(await reader.readF32("a")).to.deep.equal(A);
      expect(await reader.readRaw("b")).to.deep.equal(B);
      const into = new Float32Array(2);
      expect((await reader.readF32("b", into)).data).to.equal(into);
      await reader.close();
    }));

  it("writes 16-bit types and reads them as float32", () =>
    withFolder(async (folder) => {
      for (const dtype of ["bf16", "f16"] as const) {
        const path = join(folder, `${dtype}.safetensors`);
        await writeSafetensors(path, [B, A], { layout: LAYOUT, dtype });
        const reader = await SafetensorsReader.open(path);
        expect((await reader.readRaw("b")).dtype).to.equal(dtype);
        expect([...(await reader.readF32("b")).data]).to.deep.equal([7, 8]);
        await reader.close();
      }
    }));

  it("knows a pointer of Git LFS, and says how to get the weights", () =>
    withFolder(async (folder) => {
      const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 49696\n";
      const error = await openBytes(folder, Buffer.from(pointer)).catch((e: unknown) => e);
      expect(isVerlError(error) && [error.code, error.fix]).to.deep.equal([
        "VERL_FORMATS_SAFETENSORS_INVALID",
        "Run `git lfs install` and `git lfs pull` in the model's folder.",
      ]);
    }));

  it("reads every type that crosses a contract", () =>
    withFolder(async (folder) => {
      const bytes = fileOf(
        {
          d: { dtype: "F64", shape: [1], data_offsets: [0, 8] },
          l: { dtype: "I64", shape: [1], data_offsets: [8, 16] },
          i: { dtype: "I32", shape: [], data_offsets: [16, 20] },
          u: { dtype: "U8", shape: [2], data_offsets: [20, 22] },
          t: { dtype: "BOOL", shape: [0, 3], data_offsets: [22, 22] },
        },
        22,
      );
      const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 22);
      view.setFloat64(0, Math.PI, true);
      view.setBigInt64(8, -(2n ** 60n), true);
      view.setInt32(16, -5, true);
      const reader = await openBytes(folder, bytes);
      expect((await reader.readF32("d")).data[0]).to.equal(Math.fround(Math.PI));
      expect((await reader.readRaw("d")).data[0]).to.equal(Math.PI);
      expect((await reader.readRaw("l")).data[0]).to.equal(-(2n ** 60n));
      expect((await reader.readRaw("i")).data[0]).to.equal(-5);
      expect((await reader.readRaw("u")).shape).to.deep.equal([2]);
      expect((await reader.readRaw("t")).data).to.have.length(0);
      const error = await errorOf(() => reader.readF32("l"));
      expect(error.code).to.equal("VERL_FORMATS_DTYPE_UNSUPPORTED");
      await reader.close();
    }));

  it("reads the shards that an index names", () =>
    withFolder(async (folder) => {
      await writeSafetensors(join(folder, "1.safetensors"), [A], { layout: [LAYOUT[0]], dtype: "f32" });
      await writeSafetensors(join(folder, "2.safetensors"), [B], { layout: [LAYOUT[1]], dtype: "f32" });
      const index = join(folder, "model.safetensors.index.json");
      await writeFile(index, JSON.stringify({ weight_map: { a: "1.safetensors", b: "2.safetensors" } }));
      const reader = await SafetensorsReader.openFolder(folder);
      expect((await reader?.readF32("b"))?.data).to.deep.equal(B.data);
      await reader?.close();

      await writeFile(index, JSON.stringify({ weight_map: { a: "1.safetensors", b: "1.safetensors" } }));
      const missing = await errorOf(() => SafetensorsReader.openFolder(folder));
      expect(missing.code).to.equal("VERL_FORMATS_TENSOR_MISSING");
      expect(missing.message).to.include('"b"').and.include("1.safetensors");

      await writeFile(index, JSON.stringify({ weight_map: { a: "../1.safetensors" } }));
      expect((await errorOf(() => SafetensorsReader.openFolder(folder))).code).to.equal("VERL_FORMATS_JSON_INVALID");
    }));

  const damaged: [string, Uint8Array, RegExp][] = [
    ["a file without a header", new Uint8Array(3), /3 bytes/],
    ["a nonsense header length", Buffer.alloc(64, 0xff), /limit/],
    ["a header longer than the file", Buffer.concat([fileOf("{}", 0).subarray(0, 8), Buffer.from("{")]), /cut off/],
    ["a header that is not JSON", fileOf("{nope", 0), /not JSON/],
    ["a header that is a list", fileOf("[]", 0), /not a JSON object/],
    ["an unknown dtype", fileOf({ w: { dtype: "Q9", shape: [1], data_offsets: [0, 4] } }, 4), /"w": unknown dtype/],
    ["a negative size", fileOf({ w: { dtype: "F32", shape: [-1], data_offsets: [0, 4] } }, 4), /"w": shape/],
    [
      "bytes that contradict the shape",
      fileOf({ w: { dtype: "F32", shape: [3], data_offsets: [0, 4] } }, 4),
      /needs 12/,
    ],
    ["a tensor beyond the end", fileOf({ w: { dtype: "F32", shape: [2], data_offsets: [0, 8] } }, 4), /"w" ends at/],
    [
      "overlapping tensors",
      fileOf(
        {
          v: { dtype: "F32", shape: [2], data_offsets: [0, 8] },
          w: { dtype: "F32", shape: [2], data_offsets: [4, 12] },
        },
        12,
      ),
      /"w" overlaps tensor "v"/,
    ],
    ["a hole", fileOf({ w: { dtype: "F32", shape: [1], data_offsets: [4, 8] } }, 8), /belong to none/],
    [
      "bytes after the last tensor",
      fileOf({ w: { dtype: "F32", shape: [1], data_offsets: [0, 4] } }, 9),
      /5 bytes after/,
    ],
  ];
  for (const [what, bytes, message] of damaged) {
    it(`refuses ${what}`, () =>
      withFolder(async (folder) => {
        const error = await errorOf(() => openBytes(folder, bytes));
        expect(error.code).to.equal("VERL_FORMATS_SAFETENSORS_INVALID");
        expect(error.message).to.match(message).and.include("model.safetensors");
      }));
  }

  it("says so when a file shrinks after it was opened", () =>
    withFolder(async (folder) => {
      const path = join(folder, "model.safetensors");
      await writeSafetensors(path, [A, B], { layout: LAYOUT, dtype: "f32" });
      const reader = await SafetensorsReader.open(path);
      await truncate(path, 60);
      expect((await errorOf(() => reader.readF32("b"))).code).to.equal("VERL_FORMATS_FILE_UNREADABLE");
      await reader.close();
    }));

  it("leaves the old file and no temporary one when the stream does not match", () =>
    withFolder(async (folder) => {
      const path = join(folder, "model.safetensors");
      await writeFile(path, "old");
      const streams: [NamedTensor[], RegExp][] = [
        [[A], /never came, first "b"/],
        [[A, A], /came twice/],
        [[{ ...A, shape: [3, 2] }, B], /"a" has shape \[3,2\]/],
      ];
      for (const [tensors, message] of streams) {
        const error = await errorOf(() => writeSafetensors(path, tensors, { layout: LAYOUT, dtype: "f32" }));
        expect(error.code).to.equal("VERL_FORMATS_STREAM_MISMATCH");
        expect(error.message).to.match(message);
      }
      expect(await readdir(folder)).to.deep.equal(["model.safetensors"]);
      expect(await readFile(path, "utf8")).to.equal("old");
    }));

  it("answers any damaged byte with a result or a coded error", () =>
    withFolder(async (folder) => {
      const path = join(folder, "model.safetensors");
      await writeSafetensors(path, [A, B], { layout: LAYOUT, dtype: "f32" });
      const original = await readFile(path);
      const edit = fc.record({ at: fc.nat(original.length - 1), byte: fc.nat(255) });
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { maxLength: 4 }), fc.nat(original.length), async (edits, length) => {
          const bytes = Buffer.from(original);
          for (const { at, byte } of edits) bytes[at] = byte;
          try {
            const reader = await openBytes(folder, edits.length === 0 ? bytes.subarray(0, length) : bytes);
            for (const name of reader.names) await reader.readRaw(name).catch(rethrowUncoded);
            await reader.close();
          } catch (error) {
            rethrowUncoded(error);
          }
        }),
        { numRuns: 300 },
      );
    }));
});

function rethrowUncoded(error: unknown): void {
  if (!isVerlError(error)) throw error;
}
