import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import {
  chooseModules,
  type LoraShape,
  loraParameterSpecs,
  loraScale,
  openAdapter,
  parseModelConfig,
  SafetensorsReader,
  writeAdapter,
} from "../../../../core/formats/index.js";
import { FAMILY_CONFIGS } from "../../../engines/onnx/families/family-configs.js";
import { peerWeights } from "../../../engines/onnx/families/peer-weights.js";
import { codedError } from "../../config/support.js";

const config = parseModelConfig(FAMILY_CONFIGS.llama);
const modules = chooseModules(config, { targetModules: ["q_proj", "down_proj"] });
const shape: LoraShape = { rank: 3, alpha: 6, rslora: true, modules };

describe("core/formats adapters in PEFT's layout", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "verl-peft-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const tensors = peerWeights(config, loraParameterSpecs(config, shape));
  const write = () => writeAdapter(folder, { config, shape, tensors, base: "/models/base" });
  const change = async (changes: Record<string, unknown>) => {
    const file = join(folder, "adapter_config.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...changes }));
  };
  const refusal = async (model = config) => {
    const { code, what } = await codedError(() => openAdapter(folder, model));
    return `${code} ${what}`;
  };

  it("are read back as they were written", async () => {
    await write();
    const source = await openAdapter(folder, config);
    expect(source.shape).to.deep.equal(shape);
    expect(source.dropout).to.equal(0);
    for (const { name, data } of tensors) {
      const values = new Float32Array(data.length);
      await source.readTensor(name, values);
      expect(values).to.deep.equal(data);
    }
    await source.close();
  });

  it("have PEFT's names", async () => {
    await write();
    const reader = await SafetensorsReader.open(join(folder, "adapter_model.safetensors"));
    expect(reader.names[0]).to.equal("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight");
    expect(reader.metadata).to.deep.equal({ format: "pt" });
    await reader.close();
    const written = JSON.parse(await readFile(join(folder, "adapter_config.json"), "utf8"));
    expect(written).to.deep.include({
      peft_type: "LORA",
      task_type: "CAUSAL_LM",
      base_model_name_or_path: "/models/base",
      r: 3,
      lora_alpha: 6,
      use_rslora: true,
      target_modules: ["down_proj", "q_proj"],
      modules_to_save: null,
      fan_in_fan_out: false,
    });
  });

  it("keep the head of a critic whole", async () => {
    const critic = parseModelConfig(FAMILY_CONFIGS.gpt2, { head: "values" });
    const ofCritic = { ...shape, modules: chooseModules(critic, { targetModules: "all-linear" }) };
    const all = peerWeights(critic, loraParameterSpecs(critic, ofCritic));
    await writeAdapter(folder, { config: critic, shape: ofCritic, tensors: all, base: null });
    const source = await openAdapter(folder, critic);
    const head = all.find(({ name }) => name === "classifier.weight")!;
    const values = new Float32Array(head.data.length);
    await source.readTensor(head.name, values);
    expect(values).to.deep.equal(head.data);
    await source.close();
    const written = JSON.parse(await readFile(join(folder, "adapter_config.json"), "utf8"));
    expect(written).to.deep.include({ task_type: "TOKEN_CLS", fan_in_fan_out: true });
    expect(written.modules_to_save).to.include("classifier");
  });

  it("scale by rank, or by its root", () => {
    expect(loraScale({ rank: 4, alpha: 8, rslora: false })).to.equal(2);
    expect(loraScale({ rank: 4, alpha: 8, rslora: true })).to.equal(4);
  });

  it("may say what means nothing, in any way", async () => {
    await write();
    await change({ use_dora: false, alpha_pattern: {}, rank_pattern: null, loftq_config: {}, lora_dropout: 0.1 });
    const source = await openAdapter(folder, config);
    expect(source.dropout).to.equal(0.1);
    await source.close();
  });

  for (const changes of [
    { peft_type: "IA3" },
    { use_dora: true },
    { bias: "all" },
    { alpha_pattern: { q_proj: 4 } },
    { rank_pattern: { q_proj: 4 } },
    { init_lora_weights: "pissa" },
    { trainable_token_indices: [1] },
  ]) {
    const [key] = Object.keys(changes);
    it(`are refused with ${JSON.stringify(changes)}`, async () => {
      await write();
      await change(changes);
      expect(await refusal()).to.match(new RegExp(`VERL_FORMATS_ADAPTER_UNSUPPORTED .*${key}`));
    });
  }

  it("are refused on another model, incomplete, or of another rank than their files say", async () => {
    await write();
    const wider = parseModelConfig({ ...FAMILY_CONFIGS.llama, hidden_size: 48 });
    expect(await refusal(wider)).to.match(/VERL_FORMATS_ADAPTER_INVALID .*shape/);
    const shallow = parseModelConfig({ ...FAMILY_CONFIGS.llama, num_hidden_layers: 1 });
    expect(await refusal(shallow)).to.match(/VERL_FORMATS_ADAPTER_UNSUPPORTED .*layers\.1/);
    await change({ r: 4 });
    expect(await refusal()).to.match(/VERL_FORMATS_ADAPTER_INVALID .*rank 4/);
    await change({ r: 0 });
    expect(await refusal()).to.match(/VERL_FORMATS_CONFIG_INVALID .*r is 0/);
    await rename(join(folder, "adapter_model.safetensors"), join(folder, "adapter_model.bin"));
    await change({ r: 3 });
    expect(await refusal()).to.match(/VERL_FORMATS_ADAPTER_INVALID .*adapter_model.safetensors/);
  });
});
