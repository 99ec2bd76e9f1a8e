import { definePlugin } from "../../core/plugin.js";
import { onnxDeviceFactories, onnxEngineFactory } from "./engine-factory.js";
import { onnxRolloutFactory, onnxServerAdapterFactory } from "./rollout/factory.js";

/** The built-in training engine and the inference server that shares its kernels. */
export const onnxPlugin = definePlugin({
  name: "verl-ts/engines/onnx",
  apiVersion: "^1.0.0",
  provides: ["engine", "rollout", "serverAdapter"],
  register(host) {
    host.engines.register(onnxEngineFactory);
    for (const factory of onnxDeviceFactories) host.engines.register(factory);
    host.rollouts.register(onnxRolloutFactory);
    host.serverAdapters.register(onnxServerAdapterFactory);
  },
});
