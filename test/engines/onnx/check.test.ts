import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { AdapterConfig, EngineOptions, RolloutOptions } from "../../../core/plugin.js";
import { checkOnnxEngine, onnxEngineFactory, onnxRolloutFactory } from "../../../engines/onnx/index.js";
import { engineCheckConformance, rolloutCheckConformance, runConformance } from "../../../testing/index.js";
import { writeToyModel } from "../../core/trainer/support/toy-task.js";
import { tinyOptions } from "./backend/fixtures.js";
import { tinyConfig } from "./rollout/tiny-model.js";

const options = tinyOptions();
const adapter = (changes: object = {}): AdapterConfig => ({
  rank: 2,
  alpha: 4,
  targetModules: "all-linear",
  ...changes,
});
const server: RolloutOptions = {
  replicaRank: 0,
  model: { config: tinyConfig },
  maxModelLen: 32,
  maxNumSeqs: 2,
  responseLength: 8,
  eosTokenIds: [],
  createDecoder: null,
  threads: 1,
  extra: {},
};

runConformance(
  "engines/onnx engine check",
  engineCheckConformance({
    factory: onnxEngineFactory,
    options: { ...options, modelType: "language_model" },
    faulty: [
      { option: "extra", options: { ...options, extra: { thread: 2 } } },
      { option: "optimizer.name", options: { ...options, optimizer: { ...options.optimizer!, name: "lion" } } },
      { option: "model", options: { ...options, model: { config: { model_type: "mamba" }, initSeed: 1 } } },
      { option: "adapter.rank", options: { ...options, adapter: adapter({ rank: 1.5 }) } },
      { option: "adapter.rank", options: { ...options, adapter: adapter({ rank: 100_000 }) } },
      { option: "adapter.targetModules", options: { ...options, adapter: adapter({ targetModules: ["w_proj"] }) } },
      { option: "adapter.path", options: { ...options, adapter: { path: "/nowhere" } } },
    ],
  }),
  { describe, it },
);

runConformance(
  "engines/onnx rollout check",
  rolloutCheckConformance({
    factory: onnxRolloutFactory,
    options: server,
    faulty: [
      { option: "extra", options: { ...server, extra: { attention: "flash" } } },
      { option: "quantization", options: { ...server, quantization: "int3" } },
      { option: "model", options: { ...server, model: { path: "/nowhere" } } },
    ],
  }),
  { describe, it },
);

describe("engines/onnx engine check", () => {
  const findings = async (changes: Partial<EngineOptions>) =>
    (await checkOnnxEngine({ ...options, ...changes }, "cpu")).findings;

  it("tells all faults at once", async () => {
    const optimizer = { ...options.optimizer!, name: "lion" };
    const found = await findings({ optimizer, extra: { thread: 2 }, adapter: adapter({ rank: 0 }) });
    expect(found.map(({ option }) => option)).to.deep.equal(["extra", "optimizer.name", "adapter.rank"]);
    expect(found.map(({ code }) => code)).to.deep.equal([
      "VERL_ONNX_BAD_OPTION",
      "VERL_ONNX_BAD_OPTION",
      "VERL_ONNX_BAD_ADAPTER",
    ]);
  });

  it("warns of a rank above the smaller side of some matrices, and names them", async () => {
    // Keys and values have 2 heads of 4: 8 outputs of 8 inputs. The MLP is 12 wide.
    expect(await findings({ adapter: adapter({ rank: 8 }) })).to.deep.equal([]);
    const config = { ...("config" in options.model ? options.model.config : {}), num_key_value_heads: 1 };
    const [warning, ...more] = await findings({ model: { config, initSeed: 1 }, adapter: adapter({ rank: 8 }) });
    expect(more).to.deep.equal([]);
    expect(warning).to.include({ level: "warning", option: "adapter.rank" });
    expect(warning.what).to.include("k_proj (4), v_proj (4)").and.include("4 of 14 matrices");
  });

  it("refuses a rank above the smaller side of every matrix, and says what would do", async () => {
    const [problem] = await findings({ adapter: adapter({ rank: 64 }) });
    expect(problem).to.include({ level: "problem", option: "adapter.rank", code: "VERL_ONNX_BAD_ADAPTER" });
    expect(problem.what).to.include("the largest is 8");
    expect(problem.fix).to.include("e.g. to 2");
  });

  it("finds that a model that is only read has no head of the kind that is asked for", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "verl-check-"));
    try {
      await writeToyModel(folder);
      const model = { path: folder };
      const [problem] = await findings({ modelType: "reward_model", model, optimizer: null });
      expect(problem).to.include({ option: "model", code: "VERL_ONNX_NO_HEAD" });
      expect(await findings({ modelType: "value_model", model })).to.deep.equal([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
