import type { EngineFactory } from "../../core/plugin.js";
import type { OnnxDevice } from "./devices/devices.js";
import type { OnnxProvider } from "./engine.js";

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
  async check(options) {
    const { checkOnnxEngine } = await import("./check.js");
    return checkOnnxEngine(options, "cpu");
  },
  async checkCheckpoint(options, dir, contents) {
    const { checkOnnxCheckpoint } = await import("./check-checkpoint.js");
    return checkOnnxCheckpoint(options, dir, contents);
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

/** The same engine on CUDA, NVIDIA's chips alone, and on WebGPU. */
export const onnxDeviceFactories: readonly EngineFactory[] = [onDevice("cuda", "nvidia"), onDevice("webgpu", "webgpu")];

function onDevice(device: OnnxDevice, vendor: string): EngineFactory {
  const { diagnose: _, ...common } = onnxEngineFactory;
  const provider: OnnxProvider = {
    deviceName: device,
    tested: true,
    async openRuntime() {
      const { openDevice } = await import("./devices/devices.js");
      return openDevice(device, vendor);
    },
  };
  return {
    ...common,
    devices: [device],
    vendors: [vendor],
    async unavailable({ vendorName }) {
      const { missingPart } = await import("./devices/devices.js");
      const missing = missingPart(device, vendorName);
      return missing && `${missing.what}${missing.install ? `; install: ${missing.install}` : ""}`;
    },
    async check(options) {
      const { checkOnnxEngine } = await import("./check.js");
      return checkOnnxEngine(options, device);
    },
    async create(options) {
      const { createOnnxEngine } = await import("./engine.js");
      return createOnnxEngine(options, provider);
    },
    async createBackend(options) {
      const { createOnnxBackend } = await import("./engine.js");
      return createOnnxBackend(options, provider);
    },
  };
}
