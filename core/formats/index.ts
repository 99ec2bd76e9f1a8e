/** Model files: configuration, parameter names, safetensors, GGUF. Engines read models through `openModel` alone. */

export { writeFileAtomically } from "./atomic-file.js";
export { formatErrors } from "./errors.js";
export { bf16ToF32, f16ToF32, f32ToBf16, f32ToF16 } from "./half.js";
export { type HfFolderContent, writeHfFolder } from "./hf-folder.js";
export { readTokenizerFiles } from "./hf-source.js";
export type { ModelConfig, ModelSource, TokenizerFiles } from "./model.js";
export { type ParseModelConfigOptions, parseModelConfig } from "./model-config.js";
export { openModel } from "./open-model.js";
export { EMBEDDING, FINAL_NORM, ggufName, LM_HEAD, parameterSpecs } from "./param-names.js";
export { SafetensorsReader } from "./safetensors-reader.js";
export {
  type TensorSpec,
  type WeightDType,
  type WriteSafetensorsOptions,
  writeSafetensors,
} from "./safetensors-writer.js";
