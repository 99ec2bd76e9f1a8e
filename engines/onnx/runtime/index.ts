export { openCApiRuntime } from "./capi/capi-runtime.js";
export { locateOrtPackage, type OrtPackage } from "./locate.js";
export type {
  DeviceMemory,
  OrtRuntime,
  OrtSession,
  OrtSessionOptions,
  OrtTensor,
  Spin,
  TensorArrays,
} from "./ort-runtime.js";
export { type OrtRuntimeOptions, openOrtRuntime } from "./select-runtime.js";
export { allocateTensorData, elementCount } from "./tensor-memory.js";
