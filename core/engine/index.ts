/** Public entry of the room: the engine contract, what composes an engine from a backend, and the lookup. */
export type * from "./backend.js";
export { type ComposeEngineOptions, composeEngine } from "./compose-engine.js";
export { composeRanks, type RankProcesses } from "./data-parallel/compose-ranks.js";
export type { EngineCreation } from "./data-parallel/rank-calls.js";
export { RankServer } from "./data-parallel/rank-server.js";
export { RemoteReplicas } from "./data-parallel/remote-replicas.js";
export type { EngineReplica, ReplicaGroup } from "./data-parallel/replicas.js";
export { shareRows } from "./data-parallel/share-rows.js";
export type * from "./engine.js";
export { engineKey, engineKeys } from "./engine-keys.js";
export { engineErrors } from "./errors.js";
export { checkAvailable, type EngineEnv, type EngineRequest, lookupEngine, whyNoEngine } from "./lookup-engine.js";
export type * from "./memory.js";
export { type MicroBatch, splitBatch } from "./micro-batch.js";
