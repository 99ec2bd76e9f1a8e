import { expect } from "chai";
import { packSequences } from "../../../core/plugin.js";
import { createOnnxEngine, onnxEngineFactory, openOrtRuntime } from "../../../engines/onnx/index.js";
import { engineConformance, runConformance } from "../../../testing/index.js";
import { tinyOptions } from "./backend/fixtures.js";

const bigConfig = {
  model_type: "llama",
  vocab_size: 64,
  hidden_size: 128,
  intermediate_size: 256,
  num_attention_heads: 4,
  max_position_embeddings: 1024,
};

const layouts = {
  "padded rows": { packAbovePadding: 1 },
  "packed rows, head chunks, cut by length": {
    packAbovePadding: 0,
    logitsMemoryMiB: 1e-3,
    attentionMemoryMiB: 6e-3,
  },
};

for (const [name, kwargs] of Object.entries(layouts)) {
  runConformance(
    `engines/onnx engine, ${name}`,
    engineConformance(({ optimizer }) => createOnnxEngine({ ...tinyOptions({ tied: true, kwargs }), optimizer })),
    { describe, it },
  );
}

describe("engines/onnx engine", () => {
  it("is the default for language models on the CPU of any vendor", () => {
    expect(onnxEngineFactory).to.include({ isDefault: true, vendors: null });
    expect(onnxEngineFactory.devices).to.deep.equal(["cpu"]);
  });

  it("reports on onnxruntime to the doctor", async () => {
    const [found] = (await onnxEngineFactory.diagnose?.()) ?? [];
    expect(found).to.include({ name: "onnxruntime", status: "ok" });
  });

  it("refuses unknown options and optimizers by name", () => {
    expect(() => createOnnxEngine(tinyOptions({ kwargs: { thread: 2 } }))).to.throw(
      /VERL_ONNX_BAD_OPTION[\s\S]*thread/,
    );
    const lion = { ...tinyOptions().optimizer!, name: "lion" };
    expect(() => createOnnxEngine({ ...tinyOptions(), optimizer: lion })).to.throw(
      /VERL_ONNX_BAD_OPTION[\s\S]*lion[\s\S]*adamw, sgd, muon/,
    );
  });

  it("says where a device is chosen when it is asked for one", () => {
    for (const option of ["device", "deviceMap", "device_map"]) {
      const create = () => createOnnxEngine(tinyOptions({ kwargs: { [option]: "cuda" } }));
      expect(create).to.throw(new RegExp(`VERL_ONNX_BAD_OPTION[\\s\\S]*"${option}"[\\s\\S]*trainer.device`));
    }
  });

  it("refuses a provider whose kernels are wrong", async () => {
    const engine = createOnnxEngine(tinyOptions(), {
      deviceName: "npu",
      async openRuntime() {
        const runtime = await openOrtRuntime({ kind: "capi" });
        return {
          kind: "binding",
          version: runtime.version,
          tensor: (...args) => runtime.tensor(...args),
          async createSession(model, options) {
            const session = await runtime.createSession(model, options);
            return {
              release: () => session.release(),
              async run(feeds, fetches, runOptions) {
                await session.run(feeds, fetches, runOptions);
                if (fetches.out) (fetches.out.data as Float32Array).fill(0);
              },
            };
          },
        };
      },
    });
    const error = await engine.initialize().catch((e) => e);
    expect(String(error)).to.match(/VERL_ONNX_RUNTIME_UNUSABLE[\s\S]*npu[\s\S]*SimplifiedLayerNormalization/);
  });

  it("stops in the middle of a run when it is aborted, and goes on working", async () => {
    const config = { ...tinyOptions().model, config: { ...bigConfig, num_hidden_layers: 12 } };
    const engine = createOnnxEngine({ ...tinyOptions(), model: { ...config, initSeed: 1 } });
    await engine.initialize();
    await using _mode = await engine.evalMode();
    const ids = (count: number) => Array.from({ length: count }, (_, i) => i % 50);
    const batch = packSequences(Array.from({ length: 8 }, () => ({ promptIds: [1], responseIds: ids(500) })));
    const small = packSequences([{ promptIds: [1], responseIds: ids(3) }]);
    await engine.inferBatch(small, ["logProb"]);
    const controller = new AbortController();
    const reason = new Error("enough");
    const run = engine.inferBatch(batch, ["logProb"], { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    expect(await run.catch((e) => e)).to.equal(reason);
    expect((await engine.inferBatch(small, ["logProb"])).logProb).to.have.lengthOf(3);
    await engine.dispose();
  });

  it("computes on the device and runtime of a provider", async () => {
    let opened = 0;
    const engine = createOnnxEngine(tinyOptions(), {
      deviceName: "npu",
      openRuntime() {
        opened++;
        return openOrtRuntime({ kind: "binding" });
      },
    });
    expect(engine.capabilities.devices).to.deep.equal(["npu"]);
    await engine.initialize();
    expect(opened).to.equal(1);
    await engine.dispose();
  });
});
