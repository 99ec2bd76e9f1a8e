import type { EngineFactory } from "verl-ts/plugin";

/**
 * Hands everything to the ONNX engine. One of your own implements `EngineBackend` (forward, backward from gradients of the
 * outputs, update, parameters) and becomes a `BaseEngine` by `composeEngine`; it needs to know nothing about losses.
 */
export const engine: EngineFactory = {
  modelTypes: ["language_model"],
  backends: ["__SHORT__"],
  devices: ["__DEVICE__"],
  vendors: null,
  /** Asked by `verl train --dry-run` and `verl config check`: says what would not work, and starts nothing. */
  async check(options) {
    const { checkOnnxEngine } = await import("verl-ts/engines/onnx");
    return checkOnnxEngine(options, "cpu");
  },
  async create(options) {
    // Loaded when a run needs it: registering a plugin stays quick.
    const { createOnnxEngine } = await import("verl-ts/engines/onnx");
    return createOnnxEngine(options);
  },
};
