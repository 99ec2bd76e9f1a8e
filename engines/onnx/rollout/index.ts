export { onnxRolloutFactory, onnxServerAdapterFactory } from "./factory.js";
export { type RolloutMemory, rolloutMemory } from "./memory.js";
