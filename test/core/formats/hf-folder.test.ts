import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { openModel, type TokenizerFiles, writeHfFolder, writeSafetensors } from "../../../core/formats/index.js";
import { errorOf, TINY_CONFIG, tinyConfig, tinyTensors, withFolder } from "./support.js";

const TOKENIZER: TokenizerFiles = {
  tokenizerJson: { version: "1.0", model: { type: "BPE", vocab: {}, merges: [] } },
  tokenizerConfig: { eos_token: "<eos>" },
  chatTemplate: "{{ messages[0].content }}",
  generationConfig: { eos_token_id: [2, 3] },
};

describe("Hugging Face folders", () => {
  for (const tied of [true, false]) {
    it(`gives a model with ${tied ? "a tied" : "its own"} head back after writing`, () =>
      withFolder(async (folder) => {
        const config = tinyConfig({ tie_word_embeddings: tied });
        const tensors = tinyTensors(config);
        await writeHfFolder(folder, { config, tensors: [...tensors].reverse(), tokenizerFiles: TOKENIZER });
        const model = await openModel(folder);
        expect(model.format).to.equal("hf");
        expect({ ...model.config, raw: null }).to.deep.equal({ ...config, eosTokenIds: [2, 3], raw: null });
        expect(model.tensors.map(({ name }) => name)).to.deep.equal(tensors.map(({ name }) => name));
        for (const tensor of tensors) expect(await model.readTensor(tensor.name)).to.deep.equal(tensor);
        const files = await model.tokenizerFiles();
        expect(files?.tokenizerJson).to.deep.equal(TOKENIZER.tokenizerJson);
        expect(files?.chatTemplate).to.equal(TOKENIZER.chatTemplate);
        expect(files?.generationConfig.eos_token_id).to.deep.equal([2, 3]);
        await model.close();
      }));
  }

  it("writes the values that transformers reads", () =>
    withFolder(async (folder) => {
      const config = tinyConfig();
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: null, dtype: "f32" });
      const written = JSON.parse(await readFile(join(folder, "config.json"), "utf8"));
      expect(written).to.include({ ...TINY_CONFIG, head_dim: 4, torch_dtype: "float32", hidden_act: "silu" });
      expect(written.architectures).to.deep.equal(["LlamaForCausalLM"]);
    }));

  it("refuses a config.json that gives one key two values, at its line", () =>
    withFolder(async (folder) => {
      const config = tinyConfig();
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: null });
      const file = join(folder, "config.json");
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace("{", '{\n  "hidden_size": 9999,'));
      const error = await errorOf(() => openModel(folder));
      expect(error.code).to.equal("VERL_FORMATS_JSON_INVALID");
      expect(error.what).to.match(/the key "hidden_size" has two values, in line 2 and in line \d+/);
      expect(error.where).to.match(/config\.json:\d+$/);
    }));

  it("writes whole numbers as floats where transformers takes nothing else", () =>
    withFolder(async (folder) => {
      const config = tinyConfig({ model_type: "gemma2", num_key_value_heads: 2, head_dim: 4, initializer_range: 1 });
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: null });
      const written = await readFile(join(folder, "config.json"), "utf8");
      expect(written).to.include('"attn_logit_softcapping": 50.0,').and.include('"initializer_range": 1.0,');
      expect(JSON.parse(written)).to.deep.include({ architectures: ["Gemma2ForCausalLM"], query_pre_attn_scalar: 256 });
    }));

  it("reads the weights of a model without head, whose names have no prefix", () =>
    withFolder(async (folder) => {
      const config = tinyConfig();
      const bare = tinyTensors(config).map((tensor) => ({ ...tensor, name: tensor.name.replace("model.", "") }));
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: null });
      await writeSafetensors(join(folder, "model.safetensors"), bare, { layout: bare, dtype: "f32" });
      const model = await openModel(folder);
      for (const tensor of tinyTensors(config)) expect(await model.readTensor(tensor.name)).to.deep.equal(tensor);
      await model.close();
    }));

  it("lists a head only where the files have it", () =>
    withFolder(async (folder) => {
      const config = tinyConfig();
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: null });
      const model = await openModel(folder, { head: "values" });
      expect(model.config).to.include({ head: "values", headSize: 1, headBias: true });
      expect(model.tensors.map(({ name }) => name)).to.deep.equal(tinyTensors(config).map(({ name }) => name));
      await model.close();
    }));

  it("reads the default of several named chat templates", () =>
    withFolder(async (folder) => {
      const config = tinyConfig();
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: TOKENIZER });
      await rm(join(folder, "chat_template.jinja"));
      const named = [
        { name: "tool_use", template: "T" },
        { name: "default", template: "D" },
      ];
      await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify({ chat_template: named }));
      const model = await openModel(folder);
      expect((await model.tokenizerFiles())?.chatTemplate).to.equal("D");
      await model.close();
    }));

  for (const [what, chat_template] of [
    ["a number", 5],
    ["an object", { default: "T" }],
    ["a list whose default is no text", [{ name: "default", template: 5 }]],
  ] as const) {
    it(`refuses a chat_template that is ${what}, and names its file`, () =>
      withFolder(async (folder) => {
        const config = tinyConfig();
        await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: TOKENIZER });
        await rm(join(folder, "chat_template.jinja"));
        await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify({ chat_template }));
        const model = await openModel(folder);
        const error = await model.tokenizerFiles().catch((thrown) => thrown);
        await model.close();
        expect(error).to.include({ code: "VERL_FORMATS_CONFIG_INVALID", where: join(folder, "tokenizer_config.json") });
      }));
  }

  it("has no tokenizer where there is none", () =>
    withFolder(async (folder) => {
      const config = tinyConfig();
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: null });
      const model = await openModel(folder);
      expect(await model.tokenizerFiles()).to.equal(null);
      await model.close();
    }));

  it("refuses weights that do not fit the configuration", () =>
    withFolder(async (folder) => {
      const config = tinyConfig();
      await writeHfFolder(folder, { config, tensors: tinyTensors(config), tokenizerFiles: null });
      const rewrite = (changes: object) =>
        writeFile(join(folder, "config.json"), JSON.stringify({ ...TINY_CONFIG, ...changes }));
      await rewrite({ intermediate_size: 16 });
      const shape = await errorOf(() => openModel(folder));
      expect(shape.code).to.equal("VERL_FORMATS_TENSOR_SHAPE");
      expect(shape.message).to.include("mlp.gate_proj.weight").and.include("[12, 8]");
      await rewrite({ num_hidden_layers: 3 });
      const missing = await errorOf(() => openModel(folder));
      expect(missing.code).to.equal("VERL_FORMATS_TENSOR_MISSING");
      expect(missing.message).to.include("model.layers.2.");
    }));

  it("says what is wrong with a path that holds no model", () =>
    withFolder(async (folder) => {
      expect((await errorOf(() => openModel(join(folder, "nowhere")))).code).to.equal("VERL_FORMATS_NOT_A_MODEL");
      expect((await errorOf(() => openModel("owner/no-such-folder"))).message).to.include("hubSnapshot");
      expect((await errorOf(() => openModel(folder))).message).to.include("no config.json");
      await writeFile(join(folder, "config.json"), JSON.stringify(TINY_CONFIG));
      expect((await errorOf(() => openModel(folder))).message).to.include("no safetensors");
      await writeFile(join(folder, "config.json"), "{");
      expect((await errorOf(() => openModel(folder))).code).to.equal("VERL_FORMATS_JSON_INVALID");
      await writeFile(join(folder, "model.bin"), "12345678");
      expect((await errorOf(() => openModel(join(folder, "model.bin")))).message).to.include("not GGUF");
    }));
});
