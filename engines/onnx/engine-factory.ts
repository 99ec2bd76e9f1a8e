import type { EngineFactory } from "../../core/plugin.js";

/** The default engine: backend `onnx` on the CPU, whatever its vendor. */
export const onnxEngineFactory: EngineFactory = {
  modelTypes: ["language_model", "value_model", "reward_model"],
  backends: ["onnx"],
  devices: ["cpu"],
  vendors: null,
  isDefault: true,
  async create(options) {
    const { createOnnxEngine } = await import("./engine.js");
    return createOnnxEngine(options);
  },
  async createBackend(options) {
    const { createOnnxBackend } = await import("./engine.js");
    return createOnnxBackend(options);
  },
  async estimate(options, work) {
    const { estimateEngine } = await import("./estimate.js");
    return estimateEngine(options, work);
  },
  async diagnose() {
    const { diagnoseOrt } = await import("./runtime/diagnose.js");
    return diagnoseOrt();
  },
};
