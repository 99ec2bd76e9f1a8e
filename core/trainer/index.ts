/** Public entry of the trainer room. */
export { CheckpointStore, type SavedCheckpoint, TRACKER_FILE } from "./checkpoint-store.js";
export { trainerErrors } from "./errors.js";
export { type Evaluation, evaluateModel } from "./evaluate.js";
export { evaluateResponses } from "./evaluate-responses.js";
export { type Generation, type GenerationPrompt, generateResponses } from "./generate.js";
export * from "./hooks.js";
export { openDataset, openInputs, openTokenizer, type RunInputs } from "./input-setup.js";
export { bytesText, estimateMemory, isTooLarge, memoryLines, type RunMemory } from "./memory-estimate.js";
export { isRunLocked, RUN_LOCK_FILE } from "./run-lock.js";
export type { InputScope, RunScope } from "./run-scope.js";
export { sandboxChoice } from "./sandbox-setup.js";
export { createSyncTrainer, syncTrainerFactory } from "./setup.js";
export { SyncTrainer } from "./sync-trainer.js";
export type * from "./trainer.js";
export { checkpointCallback } from "./user-parts.js";
