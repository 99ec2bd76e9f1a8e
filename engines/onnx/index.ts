/**
 * `verl-ts/engines/onnx`: the default training engine and its rollout. A plugin for hardware that onnxruntime runs on
 * registers `createOnnxEngine` with its own provider under its own device name.
 */
export { checkOnnxEngine } from "./check.js";
export { createOnnxBackend, createOnnxEngine, type OnnxProvider } from "./engine.js";
export { onnxEngineFactory } from "./engine-factory.js";
export { errors as onnxErrors } from "./errors.js";
export { onnxPlugin } from "./plugin.js";
export { onnxRolloutFactory, onnxServerAdapterFactory } from "./rollout/index.js";
export {
  type OrtRuntime,
  type OrtRuntimeOptions,
  type OrtSession,
  type OrtSessionOptions,
  type OrtTensor,
  openCApiRuntime,
  openOrtRuntime,
} from "./runtime/index.js";
export { type TrainingMemory, type TrainingShape, trainingMemory } from "./training-memory.js";
