/** Model files: configuration, parameter names, safetensors, GGUF. Engines read models through `openModel` alone. */

export { isLeftOver, writeFileAtomically } from "./atomic-file.js";
export { formatErrors } from "./errors.js";
export { MODEL_FAMILIES, type ModelFamily } from "./families/index.js";
export { bf16ToF32, f16ToF32, f32ToBf16, f32ToF16 } from "./half.js";
export { type HfFolderContent, writeHfFolder, writeTokenizerFiles } from "./hf-folder.js";
export { readTokenizerFiles } from "./hf-source.js";
export { diagnoseHubModel } from "./hub/diagnose-hub.js";
export { type HubOptions, hubSnapshot } from "./hub/hub-snapshot.js";
export {
  inspectWeights,
  type ScanResult,
  scanWeights,
  type WeightInspection,
  type WeightProblem,
} from "./inspect/index.js";
export { fileExists, readJsonObject } from "./json-file.js";
export type {
  Activation,
  HeadKind,
  LayerConfig,
  ModelConfig,
  ModelSource,
  NormConfig,
  OpenModelOptions,
  RopeConfig,
  TokenizerFiles,
} from "./model.js";
export { type ParseModelConfigOptions, parseModelConfig } from "./model-config.js";
export { requireFinite } from "./non-finite.js";
export { openModel } from "./open-model.js";
export {
  biasOf,
  embeddingName,
  headName,
  isNewHead,
  type LayerNames,
  layerNames,
  type ParameterNames,
  type ParameterRole,
  type ParameterSpec,
  parameterSpecs,
  weightOf,
} from "./param-names.js";
export {
  type AdapterSource,
  chooseModules,
  type LinearModule,
  type LoraShape,
  linearModules,
  loraNames,
  loraParameterSpecs,
  loraScale,
  type ModuleChoice,
  openAdapter,
  writeAdapter,
} from "./peft/index.js";
export { SafetensorsReader } from "./safetensors-reader.js";
export {
  type TensorSpec,
  type WeightDType,
  type WriteSafetensorsOptions,
  writeSafetensors,
} from "./safetensors-writer.js";
