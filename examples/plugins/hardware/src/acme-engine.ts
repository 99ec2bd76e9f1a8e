import type { EngineFactory, Logger } from "verl-ts/plugin";

/**
 * The training engine for (acme-npu, acme). A vendor with a compiler of its own implements `EngineBackend`; this one has
 * none and reuses the ONNX engine, as a vendor with an execution provider for onnxruntime would.
 */
export function acmeEngine(logger: Logger): EngineFactory {
  return {
    modelTypes: ["language_model"],
    backends: ["onnx"],
    devices: ["acme-npu"],
    vendors: ["acme"],
    isDefault: true,
    async check(options) {
      const { checkOnnxEngine } = await import("verl-ts/engines/onnx");
      return checkOnnxEngine(options, "cpu");
    },
    async create(options) {
      // Loaded when a run needs it: registering a plugin stays quick.
      const { createOnnxEngine } = await import("verl-ts/engines/onnx");
      logger.info("acme: the engine computes on the host's processors");
      return createOnnxEngine(options);
    },
  };
}
