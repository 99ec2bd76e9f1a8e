export { type DatasetUnderTest, datasetConformance, datasetOptions } from "./dataset-conformance.js";
export * from "./fake-processor.js";
export * from "./png.js";
export * from "./processor-conformance.js";
export { type SamplerUnderTest, samplerConformance } from "./sampler-conformance.js";
export { ScriptedSampler, scriptedSamplerFactory } from "./scripted-sampler.js";
export * from "./wav.js";
