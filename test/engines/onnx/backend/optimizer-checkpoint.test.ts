import { access, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { isVerlError, type OptimizerConfig } from "../../../../core/plugin.js";
import { OnnxBackend } from "../../../../engines/onnx/backend/onnx-backend.js";
import { optimizer as adamw, raggedBatch, tinyOptions, weightsOf } from "./fixtures.js";

const OPTIMIZERS: Readonly<Record<string, OptimizerConfig>> = {
  adamw,
  "adamw in groups": { ...adamw, noDecay: ["norm"], lrScale: { embedding: 0.5 } },
  "adamw with a moving average": { ...adamw, emaDecay: 0.9 },
  sgd: { ...adamw, name: "sgd" },
  "sgd with momentum": { ...adamw, name: "sgd", momentum: 0.9 },
  muon: { ...adamw, name: "muon" },
};

describe("engines/onnx/backend optimizers in checkpoints", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), "verl-optimizer-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const engine = async (optimizer: OptimizerConfig | null, model = tinyOptions().model) => {
    const backend = new OnnxBackend({ ...tinyOptions(), model, optimizer });
    await backend.load();
    return backend;
  };
  const train = async (backend: OnnxBackend, optimizer: OptimizerConfig, updates: number) => {
    const batch = raggedBatch();
    for (let i = 0; i < updates; i++) {
      await backend.zeroGrad();
      const logProb = Float32Array.from(batch.responseMask, (_, r) => Math.sin(r + 1));
      await backend.backward(batch, { logProb });
      await backend.step({ lr: 0.01, gradScale: 0.5, optimizer });
    }
  };
  const code = (work: Promise<unknown>) => work.then(() => "none").catch((e) => (isVerlError(e) ? e.code : String(e)));

  for (const [name, optimizer] of Object.entries(OPTIMIZERS)) {
    it(`go on bit for bit: ${name}`, async () => {
      const first = await engine(optimizer);
      await train(first, optimizer, 2);
      await first.save(dir, ["model", "optimizer"]);
      await train(first, optimizer, 2);
      const second = await engine(optimizer);
      await train(second, optimizer, 1);
      await second.restore(dir, ["model", "optimizer"]);
      await train(second, optimizer, 2);
      expect(await weightsOf(second)).to.deep.equal(await weightsOf(first));
      await Promise.all([first.dispose(), second.dispose()]);
    });
  }

  for (const [from, to] of [
    ["adamw", "sgd"],
    ["sgd", "adamw"],
    ["adamw", "muon"],
    ["sgd", "sgd with momentum"],
    ["adamw", "adamw with a moving average"],
  ]) {
    it(`are refused where they are not the run's, and nothing is changed: ${from} to ${to}`, async () => {
      const written = await engine(OPTIMIZERS[from]);
      await train(written, OPTIMIZERS[from], 1);
      await written.save(dir, ["optimizer"]);
      const [untouched, refused] = [await engine(OPTIMIZERS[to]), await engine(OPTIMIZERS[to])];
      expect(await code(refused.restore(dir, ["optimizer"]))).to.equal("VERL_ONNX_OTHER_OPTIMIZER");
      for (const backend of [untouched, refused]) await train(backend, OPTIMIZERS[to], 2);
      expect(await weightsOf(refused)).to.deep.equal(await weightsOf(untouched));
      await Promise.all([written.dispose(), untouched.dispose(), refused.dispose()]);
    });
  }

  it("may have other groups than before", async () => {
    const written = await engine(OPTIMIZERS.adamw);
    await train(written, adamw, 1);
    await written.save(dir, ["model", "optimizer"]);
    const grouped = await engine(OPTIMIZERS["adamw in groups"]);
    await grouped.restore(dir, ["model", "optimizer"]);
    expect(await weightsOf(grouped)).to.deep.equal(await weightsOf(written));
    await Promise.all([written.dispose(), grouped.dispose()]);
  });

  it("export the moving average as a model of its own", async () => {
    const optimizer = OPTIMIZERS["adamw with a moving average"];
    const backend = await engine(optimizer);
    const [start, averages] = [await weightsOf(backend), new Map<string, Float64Array>()];
    for (const [name, values] of start) averages.set(name, values.slice());
    for (let i = 0; i < 3; i++) {
      await train(backend, optimizer, 1);
      for (const [name, values] of await weightsOf(backend)) {
        averages.get(name)?.forEach((mean, k, all) => {
          all[k] = mean + (values[k] - mean) * 0.1;
        });
      }
    }
    const weights = await weightsOf(backend);
    await backend.save(dir, ["hf_model"]);
    expect(await weightsOf(backend)).to.deep.equal(weights);
    const exported = await engine(null, { path: path.join(dir, "huggingface_ema") });
    for (const [name, values] of await weightsOf(exported)) {
      values.forEach((x, i) => {
        expect(x).to.be.closeTo(averages.get(name)?.[i] as number, 1e-6);
      });
    }
    await Promise.all([backend.dispose(), exported.dispose()]);
  });

  it("keep no average where none is asked for", async () => {
    const backend = await engine(adamw);
    await backend.save(dir, ["hf_model"]);
    expect(await access(path.join(dir, "huggingface_ema")).catch((e) => e.code)).to.equal("ENOENT");
    await backend.dispose();
  });
});
