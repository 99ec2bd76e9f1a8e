/** Public entry of the trainer room. */

export { checkResume } from "./checkpoint/check-resume.js";
export { damageOf } from "./checkpoint/checkpoint-marker.js";
export { CheckpointStore, type SavedCheckpoint, TRACKER_FILE } from "./checkpoint/checkpoint-store.js";
export { checkpointToResume, refuseFinished } from "./checkpoint/resume-point.js";
export { type ResumeReport, resumeLines, resumeReport, rowText } from "./checkpoint/resume-report.js";
export { startOf } from "./checkpoint/trainer-state.js";
export { trainerErrors } from "./errors.js";
export { type Evaluation, evaluateModel } from "./evaluation/evaluate.js";
export { evaluateResponses } from "./evaluation/evaluate-responses.js";
export { type Generation, type GenerationPrompt, generateResponses } from "./evaluation/generate.js";
export * from "./hooks.js";
export { mediaOf, withMediaPaths, writeMedia } from "./media-files.js";
export { type Alarm, alarmLines, HealthMonitor } from "./metrics/health.js";
export { checkFolders, freeBytes } from "./plan/check-folders.js";
export { bytesText, estimateMemory, isTooLarge, memoryLines, type RunMemory } from "./plan/memory-estimate.js";
export { type CheckedPlan, checkPlan, refuseUnfitInputs, requirePlan } from "./plan/plan-check.js";
export type { PlanOwner } from "./plan/plan-keys.js";
export { type ReplayTarget, replayTrajectory } from "./replay.js";
export { isRunLocked, RUN_LOCK_FILE } from "./run-lock.js";
export type { InputScope, RunScope } from "./run-scope.js";
export { type SampledStep, sampleOnly } from "./sample-only.js";
export { createAlgorithm } from "./setup/algorithm-setup.js";
export {
  openInputs,
  openPromptInputs,
  openTokenizer,
  type PromptInputs,
  type RunInputs,
  readDataset,
} from "./setup/input-setup.js";
export { localModels } from "./setup/local-models.js";
export type { RigWeights } from "./setup/sampling-rig.js";
export { sandboxChoice } from "./setup/sandbox-setup.js";
export { createSyncTrainer, syncTrainerFactory } from "./setup/setup.js";
export { tracerNames, tracerSections } from "./setup/tracing-setup.js";
export { checkpointCallback } from "./setup/user-parts.js";
export { SyncTrainer } from "./sync-trainer.js";
export { type RecordedSteps, type TrainedStep, trainOnly } from "./train-only.js";
export type * from "./trainer.js";
