import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { NamedTensor } from "../../../core/data/batch/tensor.js";
import {
  f32ToBf16,
  f32ToF16,
  openModel,
  parameterSpecs,
  type WeightDType,
  writeHfFolder,
  writeSafetensors,
} from "../../../core/formats/index.js";
import { errorOf, TINY_CONFIG, tinyConfig, tinyTensors, withFolder } from "./support.js";

const config = tinyConfig();
const tensors = tinyTensors(config);
const FILE = "model.safetensors";
const INDEX = "model.safetensors.index.json";
const HEAD: NamedTensor = { ...tensors[0], name: "lm_head.weight" };

/** A folder whose only weights file holds these tensors in float32. */
async function writeFolder(folder: string, held: readonly NamedTensor[], raw: object = TINY_CONFIG): Promise<void> {
  await writeFile(join(folder, "config.json"), JSON.stringify(raw));
  await writeSafetensors(join(folder, FILE), held, { layout: held, dtype: "f32" });
}

const writeShards = (folder: string, maxShardBytes: number, dtype: WeightDType = "f32") =>
  writeHfFolder(folder, { config, tensors: [...tensors].reverse(), tokenizerFiles: null, dtype, maxShardBytes });

async function readAll(folder: string): Promise<NamedTensor[]> {
  const model = await openModel(folder);
  try {
    return await Promise.all(model.tensors.map(({ name }) => model.readTensor(name)));
  } finally {
    await model.close();
  }
}

async function refusal(folder: string, expected: string): Promise<string> {
  const { code, message } = await errorOf(() => readAll(folder));
  expect(code, message).to.equal(expected);
  return message;
}

describe("weights of Hugging Face folders", () => {
  it("are written in several files with an index, in the order of the model", () =>
    withFolder(async (folder) => {
      await writeShards(folder, 2000);
      const index = JSON.parse(await readFile(join(folder, INDEX), "utf8"));
      const files = [...new Set(Object.values<string>(index.weight_map))];
      expect(files.length).to.be.above(2);
      expect(files[0]).to.equal(`model-00001-of-0000${files.length}.safetensors`);
      expect(Object.keys(index.weight_map)).to.deep.equal(tensors.map(({ name }) => name));
      const elements = tensors.reduce((sum, { data }) => sum + data.length, 0);
      expect(index.metadata).to.deep.equal({ total_parameters: elements, total_size: 4 * elements });
      expect(await readAll(folder)).to.deep.equal(tensors);
    }));

  it("get a file of their own where they are larger than the limit", () =>
    withFolder(async (folder) => {
      await writeShards(folder, 1);
      expect((await readdir(folder)).filter((name) => name.endsWith(".safetensors"))).to.have.length(tensors.length);
      expect(await readAll(folder)).to.deep.equal(tensors);
    }));

  it("replace those of an earlier export, in as many files or more or fewer", () =>
    withFolder(async (folder) => {
      for (const size of [1e9, 3000, 1500, 1e9]) {
        await writeShards(folder, size);
        expect(await readAll(folder)).to.deep.equal(tensors);
      }
      expect((await readdir(folder)).sort()).to.deep.equal(["config.json", "generation_config.json", FILE]);
    }));

  it("are read in whatever type each is stored", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "config.json"), JSON.stringify(TINY_CONFIG));
      const types: WeightDType[] = ["f32", "bf16", "f16"];
      const weightMap: Record<string, string> = {};
      for (const [i, dtype] of types.entries()) {
        const held = tensors.filter((_, t) => t % 3 === i);
        await writeSafetensors(join(folder, `${dtype}.safetensors`), held, { layout: held, dtype });
        for (const { name } of held) weightMap[name] = `${dtype}.safetensors`;
      }
      await writeFile(join(folder, INDEX), JSON.stringify({ weight_map: weightMap }));
      expect(await readAll(folder)).to.deep.equal(tensors);
    }));

  it("are rounded to the nearest number of the type that they are written in", () =>
    withFolder(async (folder) => {
      const data = Float32Array.from({ length: 8 }, (_, i) => 1 + i / 700);
      const held = tensors.map((tensor) => (tensor.shape.join() === "8" ? { ...tensor, data } : tensor));
      for (const [dtype, rounded] of [["bf16", f32ToBf16(data)] as const, ["f16", f32ToF16(data)] as const]) {
        await writeHfFolder(folder, { config, tensors: held, tokenizerFiles: null, dtype });
        const norm = (await readAll(folder)).find(({ shape }) => shape.join() === "8");
        const back = dtype === "bf16" ? f32ToBf16(norm?.data as Float32Array) : f32ToF16(norm?.data as Float32Array);
        expect(back).to.deep.equal(rounded);
        expect(norm?.data).not.to.deep.equal(data);
      }
    }));

  it("are not written in f16 where they would become infinite", () =>
    withFolder(async (folder) => {
      const held = tensors.map((tensor, i) => (i === 3 ? { ...tensor, data: tensor.data.map(() => -7e4) } : tensor));
      const write = () => writeHfFolder(folder, { config, tensors: held, tokenizerFiles: null, dtype: "f16" });
      const error = await errorOf(write);
      expect(error.code).to.equal("VERL_FORMATS_OUT_OF_RANGE");
      expect(error.message).to.include(tensors[3].name).and.include("-70000");
      expect(await readdir(folder)).to.deep.equal([]);
    }));

  it("may hold a tied head as well, if it is the embedding", () =>
    withFolder(async (folder) => {
      await writeFolder(folder, [...tensors, HEAD]);
      expect(await readAll(folder)).to.deep.equal(tensors);
      const data = (HEAD.data as Float32Array).map((value) => value + 1);
      await writeFolder(folder, [...tensors, { ...HEAD, data }]);
      expect(await refusal(folder, "VERL_FORMATS_CONFIG_INVALID"))
        .to.include("lm_head.weight")
        .and.include("false");
    }));

  it("may hold a tied head in place of the embedding", () =>
    withFolder(async (folder) => {
      await writeFolder(folder, [...tensors.slice(1), HEAD]);
      expect(await readAll(folder)).to.deep.equal(tensors);
    }));

  it("may hold heads of other kinds and buffers of early versions", () =>
    withFolder(async (folder) => {
      const others = ["score.weight", "v_head.summary.bias", "model.layers.1.self_attn.rotary_emb.inv_freq"];
      await writeFolder(folder, [...tensors, ...others.map((name) => ({ ...tensors[1], name }))]);
      expect(await readAll(folder)).to.deep.equal(tensors);
    }));

  it("are refused with weights that the architecture does not have", () =>
    withFolder(async (folder) => {
      const extra = ["model.layers.0.self_attn.q_proj.bias", "model.layers.2.input_layernorm.weight"];
      for (const name of extra) {
        await writeFolder(folder, [...tensors, { ...tensors[1], name }]);
        expect(await refusal(folder, "VERL_FORMATS_TENSOR_UNEXPECTED")).to.include(name);
      }
      const bare = [...tensors, { ...tensors[1], name: "layers.0.self_attn.q_norm.weight" }];
      await writeFolder(folder, bare);
      expect(await refusal(folder, "VERL_FORMATS_TENSOR_UNEXPECTED")).to.include("layers.0.self_attn.q_norm.weight");
    }));

  it("are refused with tensors missing, some of them by name", () =>
    withFolder(async (folder) => {
      await writeFolder(folder, tensors.slice(5));
      const message = await refusal(folder, "VERL_FORMATS_TENSOR_MISSING");
      expect(message).to.include('"model.embed_tokens.weight"').and.include("and 2 more");
    }));

  it("are refused with a tensor of another shape, with both shapes", () =>
    withFolder(async (folder) => {
      const [embedding, ...others] = tensors;
      await writeFolder(folder, [{ ...embedding, shape: [8, 11] }, ...others]);
      const message = await refusal(folder, "VERL_FORMATS_TENSOR_SHAPE");
      expect(message).to.include("model.embed_tokens.weight").and.include("[8, 11]").and.include("[11, 8]");
    }));

  it("are refused with NaN or infinity, unless that is allowed", () =>
    withFolder(async (folder) => {
      for (const bad of [Number.NaN, Number.NEGATIVE_INFINITY]) {
        const data = tensors[2].data.map((value, i) => (i % 5 === 3 ? bad : value));
        const held = tensors.map((tensor, i) => (i === 2 ? { ...tensor, data } : tensor));
        await writeFolder(folder, held);
        const message = await refusal(folder, "VERL_FORMATS_NOT_FINITE");
        expect(message).to.include(`"${tensors[2].name}"`).and.include(String(bad)).and.include("at 3");
        const model = await openModel(folder, { allowNonFinite: true });
        expect((await model.readTensor(tensors[2].name)).data).to.deep.equal(data);
        await model.close();
      }
    }));

  it("are refused with a shard missing", () =>
    withFolder(async (folder) => {
      await writeShards(folder, 2000);
      await rm(join(folder, (await readdir(folder)).find((name) => name.startsWith("model-00002")) as string));
      expect(await refusal(folder, "VERL_FORMATS_FILE_UNREADABLE")).to.include("model-00002-of-");
    }));

  it("are refused in several files without an index", () =>
    withFolder(async (folder) => {
      await writeShards(folder, 2000);
      await rm(join(folder, INDEX));
      expect(await refusal(folder, "VERL_FORMATS_NOT_A_MODEL")).to.include(INDEX);
    }));

  it("are refused as a pickle, with the way to convert it", () =>
    withFolder(async (folder) => {
      await writeFolder(folder, tensors);
      await rename(join(folder, FILE), join(folder, "pytorch_model.bin"));
      const message = await refusal(folder, "VERL_FORMATS_NOT_A_MODEL");
      expect(message).to.include("pytorch_model.bin").and.include("save_pretrained");
    }));

  it("are not read from integers", () =>
    withFolder(async (folder) => {
      await writeFolder(folder, tensors);
      const bytes = await readFile(join(folder, FILE));
      await writeFile(join(folder, FILE), bytes.toString("latin1").replaceAll('"F32"', '"I32"'), "latin1");
      const message = await refusal(folder, "VERL_FORMATS_DTYPE_UNSUPPORTED");
      expect(message).to.include("I32").and.include(parameterSpecs(config)[0].name);
    }));
});
