import { expect } from "chai";
import { chooseModules, parseModelConfig } from "../../../../core/formats/index.js";
import type { AdapterConfig } from "../../../../core/plugin.js";
import { estimateEngine } from "../../../../engines/onnx/estimate.js";
import { type GraphModel, loraGraphModel, plainGraphModel } from "../../../../engines/onnx/graphs/graph-model.js";
import { EMBEDDED_GRADIENT, gradientFeed, gradientFetch } from "../../../../engines/onnx/graphs/model-graph.js";
import { backwardGraph } from "../../../../engines/onnx/graphs/two-phase-graphs.js";
import { trainingMemory } from "../../../../engines/onnx/index.js";
import { tinyOptions } from "../backend/fixtures.js";
import { FAMILY_CONFIGS } from "../families/family-configs.js";

const ADAPTER = { rank: 2, alpha: 4, rslora: false };

describe("engines/onnx graphs of frozen models", () => {
  const attention = { rows: null, windows: false };
  const built = (model: GraphModel, chunks: number) =>
    backwardGraph(model, { layout: "packed", chunks, keepsLogits: false, attention }, ["logProb"]).toModel();
  const products = (model: GraphModel, chunks = 1) =>
    built(model, chunks).nodes.filter(({ opType }) => opType === "Gemm");

  for (const [family, raw] of Object.entries(FAMILY_CONFIGS)) {
    const config = parseModelConfig(raw);
    const modules = chooseModules(config, { targetModules: "all-linear" });
    const lora = loraGraphModel(config, { ...ADAPTER, modules });

    it(`give gradients of the adapter alone: ${family}`, () => {
      for (const chunks of [1, 2]) {
        const { inputs, outputs } = built(lora, chunks);
        const names = modules.flatMap((module) => [`${module}.lora_A.weight`, `${module}.lora_B.weight`]);
        expect(outputs.map(({ name }) => name)).to.have.members(names.map(gradientFetch));
        const sums = inputs.map(({ name }) => name).filter((name) => name.startsWith(gradientFeed("")));
        expect(sums).to.have.members(names.map(gradientFeed));
      }
    });

    it(`compute no gradients of weights, and nothing below the first adapter: ${family}`, () => {
      const whole = products(plainGraphModel(config, true)).length;
      // Per module: two products forward and four backward in place of one; less those of the head's weight and of what
      // the first layer reads.
      expect(products(lora).length - whole).to.be.below(modules.length * 5);

      const inLayer = (layer: number) => modules.filter((name) => name.startsWith(`${config.names.layers}.${layer}.`));
      const { nodes } = built(loraGraphModel(config, { ...ADAPTER, modules: inLayer(1) }), 1);
      const uses = (module: string) => nodes.filter(({ inputs }) => inputs.includes(`${module}.weight`)).length;
      expect(new Set(inLayer(0).map(uses))).to.deep.equal(new Set([1]));
      expect(new Set(inLayer(1).map(uses))).to.deep.equal(new Set([1, 2]));
    });
  }

  it("have no gradient of embedded tokens", () => {
    const config = parseModelConfig(FAMILY_CONFIGS.llama);
    const lora = loraGraphModel(config, {
      ...ADAPTER,
      modules: chooseModules(config, { targetModules: "all-linear" }),
    });
    const names = (model: GraphModel) => built(model, 1).outputs.map(({ name }) => name);
    expect(names(plainGraphModel(config, true))).to.include(EMBEDDED_GRADIENT);
    expect(names(lora)).to.not.include(EMBEDDED_GRADIENT);
  });

  it("need memory for gradients and moments of the adapter alone", () => {
    const config = parseModelConfig({
      model_type: "llama",
      vocab_size: 8192,
      hidden_size: 512,
      intermediate_size: 1408,
      num_hidden_layers: 8,
      num_attention_heads: 8,
    });
    const shape = { tokens: 1024, longest: 128, trains: true, logitsMemoryMiB: 512, attentionMemoryMiB: 1024 };
    const adapter = { ...ADAPTER, rank: 8, modules: chooseModules(config, { targetModules: "all-linear" }) };
    const whole = trainingMemory(config, shape).parameters;
    const lora = trainingMemory(config, { ...shape, adapter }).parameters;
    const elements = 8 * 8 * (4 * (512 + 512) + 3 * (512 + 1408));
    expect(lora).to.equal(whole / 4 + elements * 4 * 4);
    expect(lora).to.be.below(whole * 0.28);
  });

  it("are estimated so before a run", async () => {
    const options = tinyOptions();
    const of = async (adapter: AdapterConfig | null) => {
      const [{ name, bytes }] = await estimateEngine({ ...options, adapter }, { tokens: 64, longest: 16 });
      expect(name).to.equal("weights, gradients and optimizer");
      return bytes;
    };
    expect(await of({ rank: 1, alpha: 1, targetModules: ["q_proj"] })).to.be.below((await of(null)) / 3);
  });
});
