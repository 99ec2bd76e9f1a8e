/** Public entry of the room: the engine contract, what composes an engine from a backend, and the lookup. */
export type * from "./backend.js";
export { type ComposeEngineOptions, composeEngine } from "./compose-engine.js";
export type * from "./engine.js";
export { engineKey, engineKeys } from "./engine-keys.js";
export { engineErrors } from "./errors.js";
export { type EngineEnv, type EngineRequest, lookupEngine } from "./lookup-engine.js";
export { type MicroBatch, splitBatch } from "./micro-batch.js";
