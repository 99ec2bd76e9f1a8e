export { encodeModel } from "./encode-model.js";
export type { OnnxAttribute, OnnxDType, OnnxGraph, OnnxModel, OnnxNode, OnnxTensor, OnnxValueInfo } from "./model.js";
export { ONNX_DTYPE_CODES } from "./model.js";
export { WireWriter } from "./wire-writer.js";
