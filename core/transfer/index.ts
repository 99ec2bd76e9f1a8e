/** Public entry of the transfer room: the queue through which trajectories flow, and what samples from it. */

export { transferErrors } from "./errors.js";
export type { FilterResult, ScoredGroup } from "./group-filter.js";
export { filterGroups } from "./group-filter.js";
export type { InProcessQueueOptions } from "./in-process-queue.js";
export { InProcessQueue, inProcessQueueFactory } from "./in-process-queue.js";
export type { ParsedKey } from "./keys.js";
export { parseKey, promptKey, sessionName, trajectoryKey, uidOfKey } from "./keys.js";
export type { PromptTag, TrajectoryTag } from "./prompt-tag.js";
export { isPromptStatus, isTerminal, promptTag, readPromptTag, statusTag } from "./prompt-tag.js";
export type * from "./replay-buffer.js";
export type { EvictionResult, EvictionRule, PromptGroup, SamplingMode } from "./staleness.js";
export { evictGroups } from "./staleness.js";
export type { StuckPrompt } from "./stuck-report.js";
export { SyncReplayBuffer, syncReplayBufferFactory } from "./sync-replay-buffer.js";
export type * from "./transfer-queue.js";
export { promptUid } from "./uid.js";
export type { WeightPush, WeightPushResult } from "./weight-transfer.js";
export { pushWeights, requireStream } from "./weight-transfer.js";
