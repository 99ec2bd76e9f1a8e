import { expect } from "chai";
import { createOnnxEngine, onnxEngineFactory, openOrtRuntime } from "../../../engines/onnx/index.js";
import { engineConformance, runConformance } from "../../../testing/index.js";
import { tinyOptions } from "./backend/fixtures.js";

const layouts = {
  "padded rows": { packAbovePadding: 1 },
  "packed rows and head chunks": { packAbovePadding: 0, logitsMemoryMiB: 1e-3 },
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
    const sgd = { ...tinyOptions().optimizer!, name: "sgd" };
    expect(() => createOnnxEngine({ ...tinyOptions(), optimizer: sgd })).to.throw(/VERL_ONNX_BAD_OPTION[\s\S]*sgd/);
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
