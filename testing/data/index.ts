export { type DatasetUnderTest, datasetConformance, datasetOptions } from "./dataset-conformance.js";
export { type SamplerUnderTest, samplerConformance } from "./sampler-conformance.js";
export { ScriptedSampler, scriptedSamplerFactory } from "./scripted-sampler.js";
