import { cp, mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { expect } from "chai";
import {
  chooseModules,
  loraParameterSpecs,
  openModel,
  parameterSpecs,
  parseModelConfig,
  writeAdapter,
  writeHfFolder,
} from "../../../core/formats/index.js";
import type { Diagnosis } from "../../../core/plugin.js";
import { type GgufTensorBytes, ggufBytes, text, u32 } from "../../core/formats/gguf/gguf-bytes.js";
import { tinyGgufTensors, tinyMetadata } from "../../core/formats/gguf/tiny-gguf.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { writeToyModel, writeToyRewardModel } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const WEIGHTS = "model.safetensors";

describe("verl doctor on a model's weights", function () {
  this.timeout(60_000);
  let good: ToyFolder;
  let folder: ToyFolder;
  before(async () => {
    good = await ToyFolder.create();
    await writeToyModel(good.at("model"));
    await sharded(good.at("model"), good.at("shards"));
  });
  after(() => good[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await ToyFolder.create();
    for (const name of ["model", "shards"]) await cp(good.at(name), folder.at(name), { recursive: true });
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  async function doctor(model = "model", ...more: string[]): Promise<{ code: number; found: Diagnosis[] }> {
    const { code, json } = await cli(["doctor", "--model", model, "--json", ...more], { cwd: folder.dir });
    const { findings } = json<{ findings: Diagnosis[] }>();
    return { code, found: findings.filter(({ name }) => name === "weights" || name === "values") };
  }

  const details = (found: readonly Diagnosis[]) => found.map(({ status, detail }) => `${status}: ${detail}`).join("\n");

  it("says of a sound one what it is, and that all values are finite", async () => {
    for (const [model, files] of [
      ["model", "1 file"],
      ["shards", "3 files"],
    ]) {
      const { found } = await doctor(model);
      expect(
        found.map(({ status }) => status),
        details(found),
      ).to.deep.equal(["ok", "ok"]);
      expect(found[0].detail)
        .to.match(/^llama of \d+ parameters, 16 positions; /)
        .and.include(files)
        .and.include("21 F32");
      expect(found[1].detail).to.match(/^all [\d.]+ KiB looked at; all are finite$/);
    }
  });

  it("knows a reward model by its class", async () => {
    await writeToyRewardModel(folder.at("scorer"));
    const { found } = await doctor("scorer");
    expect(found[0].status, details(found)).to.equal("ok");
  });

  const config = async (model: string, changes: object) => {
    const file = folder.at(model, "config.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...changes }));
  };
  const bytes = async (file: string, change: (bytes: Buffer) => unknown) => {
    const content = await readFile(file);
    change(content);
    await writeFile(file, content);
  };
  const index = async (change: (index: { weight_map: Record<string, string> }) => unknown) => {
    const file = folder.at("shards", "model.safetensors.index.json");
    const content = JSON.parse(await readFile(file, "utf8"));
    change(content);
    await writeFile(file, JSON.stringify(content));
  };
  const shard = (number: number) => folder.at("shards", `model-0000${number}-of-00003.safetensors`);

  const spoilt: [what: string, model: string, spoil: () => Promise<unknown>, told: readonly RegExp[]][] = [
    ["no weights", "model", () => rm(folder.at("model", WEIGHTS)), [/there are no safetensors files/]],
    [
      "weights that are cut off",
      "model",
      () => truncate(folder.at("model", WEIGHTS), 9000),
      [/SAFETENSORS_INVALID/, /model\.safetensors/],
    ],
    ["an empty file", "model", () => truncate(folder.at("model", WEIGHTS), 0), [/SAFETENSORS_INVALID/]],
    [
      "another number of layers",
      "model",
      () => config("model", { num_hidden_layers: 4 }),
      [/18 of the tensors of a llama are not there: tensor "model\.layers\.2\.\S+".* and 15 more/],
    ],
    [
      "a layer too many",
      "model",
      () => config("model", { num_hidden_layers: 1 }),
      [/does not have: tensor "model\.layers\.1\./],
    ],
    [
      "another width",
      "model",
      () => config("model", { intermediate_size: 48 }),
      [/6 tensors have another shape.*gate_proj\.weight" is \[32, 16\], config\.json asks for \[48, 16\]/],
    ],
    [
      "several faults at once",
      "model",
      () => config("model", { num_hidden_layers: 3, intermediate_size: 48 }),
      [/9 of the tensors/, /6 tensors have another shape/],
    ],
    ["an unknown family", "model", () => config("model", { model_type: "mamba" }), [/MODEL_UNSUPPORTED.*mamba/]],
    [
      "packed weights",
      "model",
      () => config("model", { quantization_config: { quant_method: "awq" } }),
      [/quantization_config/, /"awq"/],
    ],
    [
      "a head that is tied and differs",
      "model",
      () => config("model", { tie_word_embeddings: true }),
      [/lm_head\.weight" differs from the embedding/],
    ],
    ["a missing shard", "shards", () => rm(shard(2)), [/FILE_UNREADABLE.*00002-of-00003/]],
    [
      "a shard of another model",
      "shards",
      () => rename(shard(2), shard(1)),
      [/the index speaks of tensor .* which is not in "model-00001/, /FILE_UNREADABLE.*00002/],
    ],
    [
      "a shard that the index does not name",
      "shards",
      () => cp(shard(1), folder.at("shards", "old.safetensors")),
      [/warning: the index does not name "old\.safetensors"/],
    ],
    [
      "an index of other shards",
      "shards",
      () =>
        index((content) => {
          content.weight_map["model.norm.weight"] = "model-00001-of-00003.safetensors";
        }),
      [/puts tensor "model\.norm\.weight" into another shard/],
    ],
    [
      "an index that leaves the folder",
      "shards",
      () =>
        index((content) => {
          content.weight_map["model.norm.weight"] = "../model/model.safetensors";
        }),
      [/"model\.norm\.weight" into something that is no file name/],
    ],
    [
      "shards without an index",
      "shards",
      () => rm(folder.at("shards", "model.safetensors.index.json")),
      [/3 safetensors files and no model\.safetensors\.index\.json/],
    ],
    [
      "NaN",
      "model",
      () => bytes(folder.at("model", WEIGHTS), (b) => b.fill(0xff, b.length - 8)),
      [/2 values of tensor "\S+" are NaN or infinite, the first at \d+/],
    ],
  ];
  for (const [what, model, spoil, told] of spoilt) {
    it(`tells of ${what}`, async () => {
      await spoil();
      const { code, found } = await doctor(model);
      for (const pattern of told) expect(details(found)).to.match(pattern);
      const isBroken = found.some(({ name, status }) => name === "weights" && status === "failed");
      expect(found.some(({ detail }) => detail.includes("all that it needs"))).to.equal(!isBroken);
      // What is said to be well is not said to be damaged as well.
      for (const name of ["weights", "values"]) {
        const statuses = found.filter((finding) => finding.name === name).map(({ status }) => status);
        if (statuses.includes("failed")) expect(statuses, details(found)).not.to.include("ok");
      }
      if (!told.some((pattern) => pattern.source.startsWith("warning"))) expect(code).to.equal(1);
    });
  }

  describe("of a GGUF file", () => {
    const write = (metadata: Parameters<typeof tinyMetadata>[0], tensors: readonly GgufTensorBytes[]) =>
      writeFile(folder.at("model.gguf"), ggufBytes(tinyMetadata(metadata), tensors));
    const told = async () => details((await doctor("model.gguf")).found);

    it("says what it is, and that all values are finite", async () => {
      await write({}, tinyGgufTensors());
      expect(await told()).to.match(
        /^ok: llama of \d+ parameters, 64 positions; 1 GGUF file.*\nok: all .* are finite$/,
      );
    });

    it("tells of tensors that are missing, too many, of another shape or type, all at once", async () => {
      const [first, second, ...rest] = tinyGgufTensors();
      const odd = { ...second, name: "blk.0.extra.weight" };
      await write({ "llama.feed_forward_length": u32(16) }, [first, odd, ...rest]);
      expect(await told())
        .to.match(/1 of the tensors of a llama are not there: tensor "blk\.0\.attn_norm\.weight"/)
        .and.match(/6 tensors have another shape.*the metadata ask for \[16, 8\]/)
        .and.match(/holds tensor "blk\.0\.extra\.weight", which the family llama does not have/);
    });

    it("tells of a file that is cut off, and of another architecture", async () => {
      await write({}, tinyGgufTensors());
      await truncate(folder.at("model.gguf"), 1500);
      expect(await told()).to.include("VERL_FORMATS_GGUF_INVALID");
      await write({ "general.architecture": text("mamba") }, tinyGgufTensors());
      expect(await told()).to.include('architecture "mamba"');
    });

    it("tells of NaN by GGUF's name of the tensor", async () => {
      const [first, ...rest] = tinyGgufTensors();
      const data = Uint8Array.from(first.data);
      new Float32Array(data.buffer)[5] = Number.NaN;
      await write({}, [{ ...first, data }, ...rest]);
      expect(await told()).to.match(/1 values of tensor "token_embd\.weight" are NaN or infinite, the first at 5/);
    });
  });

  it("looks at the adapter to begin with: its files, its shapes and its values", async () => {
    const config = parseModelConfig(JSON.parse(await readFile(folder.at("model", "config.json"), "utf8")));
    const shape = { rank: 2, alpha: 4, rslora: false, modules: chooseModules(config, { targetModules: ["q_proj"] }) };
    const write = (value: number, of = config) =>
      writeAdapter(folder.at("adapter"), {
        ...{ config: of, shape, base: null },
        tensors: loraParameterSpecs(of, shape).map(({ name, shape: dims }) => ({
          ...{ name, shape: dims, dtype: "f32" as const },
          data: new Float32Array(dims.reduce((a, b) => a * b, 1)).fill(value),
        })),
      });
    const told = async () => {
      const named = ["actor_rollout_ref.model.path=model", "actor_rollout_ref.model.lora_adapter_path=adapter"];
      const { json } = await cli(["doctor", ...named, "--json"], { cwd: folder.dir });
      const found = json<{ findings: Diagnosis[] }>().findings.filter(({ name }) => name === "adapter");
      return details(found);
    };
    await write(0.5);
    expect(await told()).to.match(/^ok: \d+ tensors for \d+ modules, rank 2, alpha 4/);
    await write(Number.NaN);
    expect(await told()).to.match(/^failed: .*NaN/);
    await write(0.5, { ...config, hiddenSize: config.hiddenSize * 2 });
    expect(await told()).to.match(/^failed: VERL_FORMATS_ADAPTER_INVALID: .*has shape/);
    await rm(folder.at("adapter", "adapter_model.safetensors"));
    expect(await told()).to.include("no adapter_model.safetensors");
    await rm(folder.at("adapter"), { recursive: true });
    expect(await told()).to.match(/^failed: .*adapter_config\.json/);
  });

  it("does not miss a second time what a shard that cannot be read holds", async () => {
    await rm(shard(2));
    expect(details((await doctor("shards")).found)).not.to.include("are not there");
  });

  it("tells of a matrix whose values are all 0", async () => {
    const config = parseModelConfig({
      ...JSON.parse(await readFile(folder.at("model", "config.json"), "utf8")),
    });
    const tensors = parameterSpecs(config).map(({ name, shape, role }) => {
      const value = role === "norm" ? 1 : name.includes("layers.1.mlp.up") ? 0 : 0.5;
      return {
        name,
        shape,
        dtype: "f32" as const,
        data: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(value),
      };
    });
    await writeHfFolder(folder.at("zero"), { config, tensors, tokenizerFiles: null, dtype: "bf16" });
    const { found } = await doctor("zero");
    expect(details(found)).to.match(/warning: all values of "model\.layers\.1\.mlp\.up_proj\.weight" are 0/);
  });

  it("tells of a tokenizer that is larger than the vocabulary", async () => {
    const file = folder.at("model", "tokenizer.json");
    const tokenizer = JSON.parse(await readFile(file, "utf8"));
    const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
    tokenizer.added_tokens.push({ id: 14, content: "<more>", ...flags });
    await writeFile(file, JSON.stringify(tokenizer));
    const { code, found } = await doctor();
    expect(code).to.equal(1);
    expect(details(found)).to.include(
      'the tokenizer has 15 tokens and the model 14; the first that is too many is "<more>"',
    );
  });

  it("looks at no values where that is asked for, and never longer than it may", async () => {
    expect((await doctor("model", "--scan-seconds", "0")).found.map(({ name }) => name)).to.deep.equal(["weights"]);
    expect((await cli(["doctor", "--scan-seconds", "soon"], { cwd: folder.dir })).code).to.equal(2);
  });

  it("looks at the models that a configuration names", async () => {
    await bytes(folder.at("model", WEIGHTS), (b) => b.fill(0xff, b.length - 8));
    const { stdout } = await cli(["doctor", "actor_rollout_ref.model.path=model"], { cwd: folder.dir });
    expect(stdout)
      .to.match(/failed +values +2 values of tensor/)
      .and.match(/fix: Download or convert/);
  });

  it("looks at the models of critic and reward, too, where they have their own", async () => {
    await cp(folder.at("model"), folder.at("critic"), { recursive: true });
    await writeToyRewardModel(folder.at("scorer"));
    for (const model of ["critic", "scorer"]) {
      await bytes(folder.at(model, WEIGHTS), (b) => b.fill(0xff, b.length - 8));
    }
    const scorer = ["reward.reward_model.enable=true", "reward.reward_model.model_path=scorer"];
    const engine = ["reward.reward_model.rollout.name=engine", "actor_rollout_ref.model.path=model"];
    const look = async (...more: string[]) => {
      const { json } = await cli(["doctor", ...scorer, ...engine, ...more, "--json"], { cwd: folder.dir });
      return json<{ findings: Diagnosis[] }>().findings.map(({ name, status }) => `${name}: ${status}`);
    };
    const found = await look("critic.model.path=critic", "algorithm.adv_estimator=gae");
    expect(found).to.include.members([
      "weights: ok",
      "values: ok",
      "values of the critic: failed",
      "values of the reward model: failed",
    ]);
    expect(found.filter((line) => line.startsWith("tokenizer"))).to.have.length(2);
    // A judge's template is shown whole conversations: what agents ask of one does not matter.
    expect(found.join()).not.to.include("template of the reward model");
    // The policy's own is looked at once, and a critic that is not trained not at all.
    const same = await look("critic.model.path=model", "algorithm.adv_estimator=gae");
    const none = await look("critic.model.path=nowhere", "algorithm.adv_estimator=grpo");
    expect([...same, ...none].join()).not.to.include("critic");
  });

  it("says once of a file that it is no model", async () => {
    const { json } = await cli(["doctor", "--model", "reward.mjs", "--json"], { cwd: folder.dir });
    const failed = json<{ findings: Diagnosis[] }>().findings.filter(({ status }) => status === "failed");
    expect(failed.map(({ name }) => name)).to.deep.equal(["model"]);
    expect(failed[0].detail).to.include("is a file, but not GGUF");
  });

  it("takes a folder with a tokenizer alone for what it is", async () => {
    const { found } = await doctor("tokenizer");
    expect(found.map(({ status }) => status)).to.deep.equal(["warning"]);
    expect(found[0].detail).to.include("a tokenizer alone");
  });

  /** The same model in three files with an index. */
  async function sharded(from: string, to: string): Promise<void> {
    const model = await openModel(from);
    const tensors = [];
    for (const { name } of model.tensors) tensors.push(await model.readTensor(name));
    await mkdir(to, { recursive: true });
    const bytes = tensors.reduce((sum, { data }) => sum + data.byteLength, 0);
    const { config } = model;
    await writeHfFolder(to, {
      config,
      tensors,
      tokenizerFiles: await model.tokenizerFiles(),
      dtype: "f32",
      maxShardBytes: bytes / 2.5,
    });
    await model.close();
  }
});
