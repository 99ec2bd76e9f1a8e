/** Public entry of the trainer room. */

export { createAlgorithm } from "./algorithm-setup.js";
export { checkFolders, freeBytes } from "./check-folders.js";
export { checkResume } from "./check-resume.js";
export { damageOf } from "./checkpoint-marker.js";
export { CheckpointStore, type SavedCheckpoint, TRACKER_FILE } from "./checkpoint-store.js";
export { trainerErrors } from "./errors.js";
export { type Evaluation, evaluateModel } from "./evaluate.js";
export { evaluateResponses } from "./evaluate-responses.js";
export { type Generation, type GenerationPrompt, generateResponses } from "./generate.js";
export { type Alarm, alarmLines, HealthMonitor } from "./health.js";
export * from "./hooks.js";
export {
  openInputs,
  openPromptInputs,
  openTokenizer,
  type PromptInputs,
  type RunInputs,
  readDataset,
} from "./input-setup.js";
export { localModels } from "./local-models.js";
export { mediaOf, withMediaPaths, writeMedia } from "./media-files.js";
export { bytesText, estimateMemory, isTooLarge, memoryLines, type RunMemory } from "./memory-estimate.js";
export { type CheckedPlan, checkPlan, refuseUnfitInputs, requirePlan } from "./plan-check.js";
export type { PlanOwner } from "./plan-keys.js";
export { type ReplayTarget, replayTrajectory } from "./replay.js";
export { checkpointToResume, refuseFinished } from "./resume-point.js";
export { type ResumeReport, resumeLines, resumeReport, rowText } from "./resume-report.js";
export { isRunLocked, RUN_LOCK_FILE } from "./run-lock.js";
export type { InputScope, RunScope } from "./run-scope.js";
export { type SampledStep, sampleOnly } from "./sample-only.js";
export type { RigWeights } from "./sampling-rig.js";
export { sandboxChoice } from "./sandbox-setup.js";
export { createSyncTrainer, syncTrainerFactory } from "./setup.js";
export { SyncTrainer } from "./sync-trainer.js";
export { tracerNames, tracerSections } from "./tracing-setup.js";
export { type RecordedSteps, type TrainedStep, trainOnly } from "./train-only.js";
export type * from "./trainer.js";
export { startOf } from "./trainer-state.js";
export { checkpointCallback } from "./user-parts.js";
