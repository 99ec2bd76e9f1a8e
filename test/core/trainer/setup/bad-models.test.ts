import { createHash } from "node:crypto";
import { cp, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { verl } from "../support/child.js";
import { ToyFolder } from "../support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES, writeToyModel } from "../support/toy-task.js";

const OVERRIDES = [
  ...ONNX_OVERRIDES,
  "actor_rollout_ref.model.config=null",
  "actor_rollout_ref.model.path=model",
  "actor_rollout_ref.model.tokenizer_path=null",
  "trainer.save_freq=1",
];

const WEIGHTS = "model.safetensors";

/** A model's folder, and how to spoil it. */
const spoilt: [what: string, code: string, spoil: (model: string) => Promise<unknown>][] = [
  ["a missing folder", "VERL_FORMATS_NOT_A_MODEL", (model) => rm(model, { recursive: true })],
  ["no config.json", "VERL_FORMATS_NOT_A_MODEL", (model) => rm(path.join(model, "config.json"))],
  ["no weights", "VERL_FORMATS_NOT_A_MODEL", (model) => rm(path.join(model, WEIGHTS))],
  ["weights that are a pickle", "VERL_FORMATS_NOT_A_MODEL", (model) => renamed(model, WEIGHTS, "pytorch_model.bin")],
  [
    "weights that are cut off",
    "VERL_FORMATS_SAFETENSORS_INVALID",
    (model) => truncate(path.join(model, WEIGHTS), 9000),
  ],
  ["weights that are empty", "VERL_FORMATS_SAFETENSORS_INVALID", (model) => truncate(path.join(model, WEIGHTS), 0)],
  [
    "a header that is damaged",
    "VERL_FORMATS_SAFETENSORS_INVALID",
    (model) => changed(model, WEIGHTS, (b) => b.fill(7, 8, 40)),
  ],
  [
    "NaN in the weights",
    "VERL_FORMATS_NOT_FINITE",
    (model) => changed(model, WEIGHTS, (b) => b.fill(0xff, b.length - 4)),
  ],
  [
    "a configuration that is no JSON",
    "VERL_FORMATS_JSON_INVALID",
    (model) => truncate(path.join(model, "config.json"), 20),
  ],
  ["an unknown family", "VERL_FORMATS_MODEL_UNSUPPORTED", (model) => configured(model, { model_type: "mamba" })],
  ["another number of layers", "VERL_FORMATS_TENSOR_MISSING", (model) => configured(model, { num_hidden_layers: 3 })],
  [
    "a layer too many in the files",
    "VERL_FORMATS_TENSOR_UNEXPECTED",
    (model) => configured(model, { num_hidden_layers: 1 }),
  ],
  ["another width", "VERL_FORMATS_TENSOR_SHAPE", (model) => configured(model, { intermediate_size: 48 })],
  ["an impossible size", "VERL_FORMATS_CONFIG_INVALID", (model) => configured(model, { hidden_size: -1 })],
  ["no tokenizer", "VERL_DATA_TOKENIZER_MISSING", (model) => rm(path.join(model, "tokenizer.json"))],
  [
    "a tokenizer that is cut off",
    "VERL_FORMATS_JSON_INVALID",
    (model) => truncate(path.join(model, "tokenizer.json"), 99),
  ],
  ["a tokenizer larger than the vocabulary", "VERL_TRAINER_TOKENIZER_TOO_LARGE", (model) => enlarged(model)],
];

describe("core/trainer bad models", function () {
  this.timeout(60_000);
  let good: ToyFolder;
  before(async () => {
    good = await ToyFolder.create();
    await writeToyModel(good.at("model"));
    await good.train({ overrides: [...OVERRIDES, "trainer.total_training_steps=1"] });
  });
  after(() => good[Symbol.asyncDispose]());

  it("a sound one goes on from that checkpoint", async () => {
    await using folder = await ToyFolder.create();
    await cp(good.dir, folder.dir, { recursive: true });
    const { code, stderr } = await run(folder);
    expect(stderr).to.include("resumed step 1");
    expect(code, stderr).to.equal(0);
  });

  for (const [what, code, spoil] of spoilt) {
    it(`${what}: a coded error, and the checkpoint of an earlier run is as it was`, async () => {
      await using folder = await ToyFolder.create();
      await cp(good.dir, folder.dir, { recursive: true });
      const before = await digests(folder.at("run"));
      await spoil(folder.at("model"));
      const { code: exit, stderr } = await run(folder);
      expect(stderr).to.match(new RegExp(`^error ${code}$`, "m"));
      expect(exit, stderr).to.equal(2);
      expect(await digests(folder.at("run"))).to.deep.equal(before);
    });
  }
});

/** Two steps, of which the first is done, in a process of its own. */
const run = (folder: ToyFolder) =>
  verl(["train", ...TOY_OVERRIDES, ...OVERRIDES, "trainer.total_training_steps=2"], { cwd: folder.dir });

async function digests(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const hash = async (file: string) =>
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
  const found = await Promise.all(files.map(async (file) => [path.relative(folder, file), await hash(file)] as const));
  return Object.fromEntries(found.sort());
}

const renamed = (model: string, from: string, to: string) => rename(path.join(model, from), path.join(model, to));

async function changed(model: string, name: string, change: (bytes: Buffer) => unknown): Promise<void> {
  const file = path.join(model, name);
  const bytes = await readFile(file);
  change(bytes);
  await writeFile(file, bytes);
}

async function configured(model: string, changes: object): Promise<void> {
  const file = path.join(model, "config.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...changes }));
}

/** One token more than the model's embedding has rows. */
async function enlarged(model: string): Promise<void> {
  const file = path.join(model, "tokenizer.json");
  const tokenizer = JSON.parse(await readFile(file, "utf8"));
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  tokenizer.added_tokens.push({ id: 14, content: "<more>", ...flags });
  await writeFile(file, JSON.stringify(tokenizer));
}
