import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { openModel } from "../../../../core/formats/index.js";
import { errorOf, tinyConfig, tinyTensors, withFolder } from "../support.js";
import { type GgufTensorBytes, ggufBytes, type MetadataValue, u32 } from "./gguf-bytes.js";
import { tinyGgufTensors, tinyMetadata } from "./tiny-gguf.js";

const partName = (number: number, count: number) =>
  `tiny-${String(number).padStart(5, "0")}-of-${String(count).padStart(5, "0")}.gguf`;

interface Part {
  readonly number: number;
  readonly tensors: readonly GgufTensorBytes[];
  readonly metadata?: Readonly<Record<string, MetadataValue>>;
}

/** Write a part as llama.cpp's gguf-split does: only the first describes the model. */
async function writePart(folder: string, count: number, { number, tensors, metadata = {} }: Part): Promise<string> {
  const split = { "split.no": u32(number - 1), "split.count": u32(count), "split.tensors.count": u32(20) };
  const path = join(folder, partName(number, count));
  await writeFile(path, ggufBytes({ ...(number === 1 ? tinyMetadata() : {}), ...split, ...metadata }, tensors));
  return path;
}

async function writeThree(folder: string): Promise<string> {
  const tensors = tinyGgufTensors();
  await writePart(folder, 3, { number: 2, tensors: tensors.slice(0, 8) });
  await writePart(folder, 3, { number: 3, tensors: tensors.slice(8) });
  return writePart(folder, 3, { number: 1, tensors: [] });
}

describe("GGUF models in several files", () => {
  it("are opened by the first", () =>
    withFolder(async (folder) => {
      const model = await openModel(await writeThree(folder));
      for (const tensor of tinyTensors(tinyConfig())) expect(await model.readTensor(tensor.name)).to.deep.equal(tensor);
      await model.close();
    }));

  it("say so when another part is named", () =>
    withFolder(async (folder) => {
      await writeThree(folder);
      const error = await errorOf(() => openModel(join(folder, partName(2, 3))));
      expect(error.code).to.equal("VERL_FORMATS_GGUF_INVALID");
      expect(error.message).to.include("part 2 of 3").and.include(partName(1, 3));
    }));

  it("name the part that is missing", () =>
    withFolder(async (folder) => {
      const first = await writeThree(folder);
      await rm(join(folder, partName(3, 3)));
      const error = await errorOf(() => openModel(first));
      expect(error.code).to.equal("VERL_FORMATS_FILE_UNREADABLE");
      expect(error.message).to.include(partName(3, 3));
    }));

  it("are found by their names alone", () =>
    withFolder(async (folder) => {
      const path = join(folder, "renamed.gguf");
      await writeFile(path, ggufBytes({ ...tinyMetadata(), "split.count": u32(2), "split.no": u32(0) }, []));
      expect((await errorOf(() => openModel(path))).message).to.include("NAME-00001-of-00002.gguf");
    }));

  const wrong: [string, Part, RegExp][] = [
    ["a part that is another's", { number: 3, tensors: [], metadata: { "split.no": u32(1) } }, /not part 3/],
    ["a tensor in two parts", { number: 3, tensors: tinyGgufTensors().slice(7) }, /is in two parts/],
    ["too few tensors", { number: 3, tensors: tinyGgufTensors().slice(9) }, /hold 19 tensors.*20/],
  ];
  for (const [what, part, message] of wrong) {
    it(`are refused with ${what}`, () =>
      withFolder(async (folder) => {
        const first = await writeThree(folder);
        await writePart(folder, 3, part);
        const error = await errorOf(() => openModel(first));
        expect(error.code).to.equal("VERL_FORMATS_GGUF_INVALID");
        expect(error.message).to.match(message);
      }));
  }
});
