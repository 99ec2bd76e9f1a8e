export { type AdapterSource, openAdapter, writeAdapter } from "./adapter-folder.js";
export { type LinearModule, type LoraShape, linearModules, loraNames, loraParameterSpecs, loraScale } from "./lora.js";
export { chooseModules, type ModuleChoice } from "./target-modules.js";
