import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type BaseEngine, composeEngine, packSequences } from "../../../../core/plugin.js";
import { testGradients } from "../../../../engines/onnx/devices/test-gradients.js";
import { createOnnxBackend, createOnnxEngine, type OnnxProvider } from "../../../../engines/onnx/index.js";
import { processorAsDevice } from "../../../../engines/onnx/runtime/capi/provider.js";
import {
  type DeviceMemory,
  locateOrtPackage,
  type OrtRuntime,
  openCApiRuntime,
} from "../../../../engines/onnx/runtime/index.js";
import { optimizerWith, SAMPLE_LOSS, sampleBatch } from "../../../../testing/engine/engine-under-test.js";
import { dataParallelConformance, engineConformance, runConformance } from "../../../../testing/index.js";
import { tinyOptions } from "../backend/fixtures.js";

const openRuntime = () => openCApiRuntime(locateOrtPackage().libraryPath as string, processorAsDevice);

/** The processor behind the code for devices; `wrap` changes its memory. */
function provider(wrap: (memory: DeviceMemory) => DeviceMemory = (memory) => memory): OnnxProvider {
  return {
    deviceName: "processor",
    tested: true,
    async openRuntime(): Promise<OrtRuntime> {
      const runtime = await openRuntime();
      return {
        kind: runtime.kind,
        version: runtime.version,
        plainNorms: true,
        tensor: (...args) => runtime.tensor(...args),
        createSession: (...args) => runtime.createSession(...args),
        device: wrap(runtime.device as DeviceMemory),
      };
    },
  };
}

runConformance(
  "engines/onnx engine with its state on a device",
  engineConformance(({ optimizer }) => createOnnxEngine({ ...tinyOptions({ tied: true }), optimizer }, provider())),
  { describe, it },
);
runConformance(
  "engines/onnx backend with its state on a device",
  dataParallelConformance((wanted) => createOnnxBackend({ ...tinyOptions({ tied: false }), ...wanted }, provider())),
  { describe, it },
);

describe("engines/onnx state on a device", () => {
  it("stays there from micro-batch to micro-batch, and goes to the host once per update", async () => {
    let copies = 0;
    const counting = provider((memory) => ({
      ...memory,
      copy(from, to) {
        copies++;
        return memory.copy(from, to);
      },
    }));
    const optimizer = optimizerWith();
    const options = { ...tinyOptions({ tied: true }), optimizer };
    const engine = composeEngine(createOnnxBackend(options, counting), options);
    await engine.initialize();
    let parameters = 0;
    for await (const _ of engine.getPerTensorParam()) parameters++;
    expect(copies, "nothing was computed").to.equal(0);
    await using _mode = await engine.trainMode();
    await engine.forwardBackwardBatch(sampleBatch(), SAMPLE_LOSS, { microBatchSize: 1 });
    expect(copies, "parameters up, six micro-batches").to.equal(parameters);
    await engine.optimizerStep();
    expect(copies, "gradients down").to.equal(2 * parameters);
    const infer = () => engine.inferBatch(packSequences([{ promptIds: [1], responseIds: [2] }]), ["logProb"]);
    await infer();
    await infer();
    expect(copies, "parameters up").to.equal(3 * parameters);
    await engine.dispose();
  });

  it("follows adapters, their averages and checkpoints", async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), "verl-device-"));
    const optimizer = optimizerWith({ emaDecay: 0.5 });
    const options = {
      ...tinyOptions({ tied: true }),
      optimizer,
      adapter: { rank: 2, alpha: 4, targetModules: "all-linear" },
    };
    const logProbs = async (engine: BaseEngine) => [
      ...((await engine.inferBatch(sampleBatch(), ["logProb"])).logProb ?? []),
    ];
    const run = async (on?: OnnxProvider) => {
      const engine = createOnnxEngine(options, on);
      await engine.initialize();
      await using _mode = await engine.trainMode();
      const seen: number[][] = [];
      for (let step = 0; step < 3; step++) {
        await engine.trainBatch(sampleBatch(), SAMPLE_LOSS, { microBatchSize: 2 });
        if (step === 1) await engine.saveCheckpoint(dir);
      }
      seen.push(await logProbs(engine));
      {
        await using _without = await engine.disableAdapter();
        seen.push(await logProbs(engine));
      }
      {
        await using _average = await engine.averagedWeights?.();
        seen.push(await logProbs(engine));
      }
      await engine.loadCheckpoint(dir);
      seen.push(await logProbs(engine));
      await engine.dispose();
      return seen;
    };
    const [expected, actual] = [await run(), await run(provider())];
    expect(new Set(expected.map(String)).size, "four different models").to.equal(4);
    actual.flat().forEach((x, i) => {
      expect(x).to.be.closeTo(expected.flat()[i], 1e-5);
    });
    await rm(dir, { recursive: true });
  });

  it("gives the processor's gradients, which the test of a device demands", async () => {
    expect(await testGradients(provider())).to.be.below(1e-5);
  });

  it("is refused where a tensor comes back wrong, by the tensor's name", async () => {
    const wrong = provider((memory) => ({
      ...memory,
      async copy(from, to) {
        await memory.copy(from, to);
        // The k projection of the first layer alone, on its way to the host.
        if (to.data.length === 16 * 32) to.data[5] += 0.01;
      },
    }));
    const error = await testGradients(wrong).catch((e) => e);
    expect(String(error)).to.match(/llama, fused: the gradient of model\.layers\.0\.self_attn\.k_proj\.weight differs/);
  });
});
