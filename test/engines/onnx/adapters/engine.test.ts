import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { AdapterConfig, BaseEngine, EngineOptions } from "../../../../core/plugin.js";
import { createOnnxEngine } from "../../../../engines/onnx/index.js";
import { parametersOf, SAMPLE_LOSS, sampleBatch } from "../../../../testing/engine/engine-under-test.js";
import { adapterConformance, engineConformance, runConformance } from "../../../../testing/index.js";
import { codedError } from "../../../core/config/support.js";
import { tinyOptions } from "../backend/fixtures.js";
import { ADAPTER, withoutWeightGradients } from "./adapter-engine.js";

async function engineWith(adapter: AdapterConfig | null, changes: Partial<EngineOptions> = {}): Promise<BaseEngine> {
  const engine = createOnnxEngine({ ...tinyOptions({ tied: true }), adapter, ...changes });
  await engine.initialize();
  return engine;
}

async function train(engine: BaseEngine, updates: number): Promise<void> {
  await using _mode = await engine.trainMode();
  for (let i = 0; i < updates; i++) await engine.trainBatch(sampleBatch(), SAMPLE_LOSS);
}

async function logProb(engine: BaseEngine): Promise<Float32Array> {
  await using _mode = await engine.evalMode();
  return (await engine.inferBatch(sampleBatch(), ["logProb"])).logProb as Float32Array;
}

runConformance(
  "engines/onnx engine with an adapter",
  withoutWeightGradients(
    engineConformance(({ optimizer }) =>
      createOnnxEngine({ ...tinyOptions({ tied: true }), optimizer, adapter: ADAPTER }),
    ),
  ),
  { describe, it },
);

runConformance(
  "engines/onnx adapters",
  adapterConformance(({ optimizer, adapter }) =>
    createOnnxEngine({ ...tinyOptions({ tied: true }), optimizer, adapter }),
  ),
  { describe, it },
);

describe("engines/onnx adapters", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), "verl-adapters-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it("begin without an effect, the same for the same seed", async () => {
    const [plain, first, again, other] = await Promise.all([
      engineWith(null),
      engineWith(ADAPTER),
      engineWith(ADAPTER),
      engineWith(ADAPTER, { seed: 2 }),
    ]);
    expect(await logProb(first)).to.deep.equal(await logProb(plain));
    for (const engine of [first, again, other]) await train(engine, 2);
    expect(await parametersOf(again)).to.deep.equal(await parametersOf(first));
    expect(await parametersOf(other)).to.not.deep.equal(await parametersOf(first));
    for (const engine of [plain, first, again, other]) await engine.dispose();
  });

  it("are all that is trained", async () => {
    const engine = await engineWith(ADAPTER);
    const before = await parametersOf(engine);
    const { parameters, trainedParameters } = engine.modelInfo();
    expect(trainedParameters).to.equal(2 * 2 * (8 + 16 + 2 * (8 + 8) + (16 + 8) + 3 * (8 + 12)));
    expect(parameters).to.be.above(trainedParameters as number);
    await train(engine, 2);
    const after = await parametersOf(engine);
    const changed = [...after].filter(([name, values]) => !before.get(name)!.every((x, i) => x === values[i]));
    expect(changed.map(([name]) => name).every((name) => name.endsWith("_proj.weight"))).to.equal(true);
    expect(changed).to.have.lengthOf(2 * 7);
    await using _off = await engine.disableAdapter();
    expect(await parametersOf(engine)).to.deep.equal(before);
    await engine.dispose();
  });

  it("are refused under names that do not exist, are taken, or are no names", async () => {
    const engine = await engineWith(ADAPTER);
    const adapters = engine.adapters!;
    for (const call of [
      () => adapters.use("nobody"),
      () => adapters.remove("nobody"),
      () => adapters.remove("default"),
      () => adapters.add("default", ADAPTER),
      () => adapters.add("../above", ADAPTER),
      () => adapters.save("nobody", dir),
    ]) {
      expect((await codedError(call)).code).to.equal("VERL_ONNX_ADAPTER_NAME");
    }
    await engine.dispose();
  });

  it("are absent from an engine that trains everything", async () => {
    const engine = await engineWith(null);
    expect(engine.adapters).to.equal(undefined);
    const before = await logProb(engine);
    await using _off = await engine.disableAdapter();
    expect(await logProb(engine)).to.deep.equal(before);
    await engine.dispose();
  });

  it("save themselves alone, and are read back by another engine", async () => {
    const engine = await engineWith(ADAPTER);
    await train(engine, 2);
    await engine.saveCheckpoint(dir, { contents: ["model", "optimizer"] });
    expect((await readdir(dir)).sort()).to.deep.equal(["adapters.json", "lora_adapter", "optimizer.safetensors"]);
    const folder = path.join(dir, "lora_adapter");
    const config = JSON.parse(await readFile(path.join(folder, "adapter_config.json"), "utf8"));
    expect(config).to.deep.include({ peft_type: "LORA", r: 2, lora_alpha: 4, bias: "none", task_type: "CAUSAL_LM" });
    const started = await engineWith({ path: folder });
    expect(await parametersOf(started)).to.deep.equal(await parametersOf(engine));
    for (const each of [engine, started]) await each.dispose();
  });

  it("are refused on another model, with other sizes, out of a merged model, and out of a broken index", async () => {
    const engine = await engineWith(ADAPTER);
    await engine.saveCheckpoint(dir);
    await engine.dispose();
    const load = async (other: BaseEngine, contents?: ("model" | "hf_model")[]) => {
      const { code, what } = await codedError(() => other.loadCheckpoint(dir, contents ? { contents } : {}));
      await other.dispose();
      return `${code} ${what}`;
    };
    const { model } = tinyOptions({ tied: true });
    expect(
      await load(await engineWith(ADAPTER, { model: { ...model, initSeed: 8 } as EngineOptions["model"] })),
    ).to.match(/VERL_ONNX_BAD_CHECKPOINT .*other weights/);
    expect(await load(await engineWith({ ...ADAPTER, rank: 3 }))).to.match(/VERL_ONNX_BAD_CHECKPOINT .*rank 2.*rank 3/);
    expect(await load(await engineWith(ADAPTER), ["hf_model"])).to.match(/VERL_ONNX_BAD_CHECKPOINT .*taken apart/);
    await writeFile(path.join(dir, "adapters.json"), '{"version": 1, "model": "x", "active": "a", "names": []}');
    expect(await load(await engineWith(ADAPTER))).to.match(/VERL_ONNX_BAD_CHECKPOINT .*not an index/);
  });

  it("are refused from a checkpoint with numbers that are not finite, without advice for published ones", async () => {
    const engine = await engineWith(ADAPTER);
    await engine.saveCheckpoint(dir);
    const file = path.join(dir, "lora_adapter", "adapter_model.safetensors");
    const bytes = await readFile(file);
    bytes.writeFloatLE(Number.NaN, bytes.length - 4);
    await writeFile(file, bytes);
    const refused = await codedError(() => engine.loadCheckpoint(dir));
    expect(refused).to.include({ code: "VERL_FORMATS_NOT_FINITE", where: file });
    expect(refused.fix).to.include("earlier checkpoint").and.not.include("download");
    await engine.dispose();
  });

  it("need a rank and an alpha", async () => {
    for (const wrong of [{ rank: 0 }, { rank: 1.5 }, { alpha: 0 }, { alpha: Number.NaN }]) {
      const error = await codedError(() => engineWith({ ...ADAPTER, ...wrong }));
      expect(error.code).to.equal("VERL_ONNX_BAD_ADAPTER");
    }
  });

  it("keep a moving average of their own where one is asked for", async () => {
    const without = await engineWith(ADAPTER);
    expect(await without.averagedWeights!()).to.equal(null);
    await without.dispose();
    const options = tinyOptions({ tied: true });
    const engine = await engineWith(ADAPTER, { optimizer: { ...options.optimizer!, emaDecay: 0.5 } });
    const base = await logProb(engine);
    await train(engine, 2);
    const [trained, weights] = [await logProb(engine), await parametersOf(engine)];
    {
      await using _average = (await engine.averagedWeights!())!;
      const averaged = await logProb(engine);
      expect(averaged).to.not.deep.equal(trained);
      expect(averaged).to.not.deep.equal(base);
      expect(await parametersOf(engine)).to.not.deep.equal(weights);
    }
    expect(await logProb(engine)).to.deep.equal(trained);
    await engine.saveCheckpoint(dir, { contents: ["hf_model"] });
    expect((await readdir(dir)).sort()).to.deep.equal(["adapters.json", "huggingface", "huggingface_ema"]);
    await engine.dispose();
  });
});
