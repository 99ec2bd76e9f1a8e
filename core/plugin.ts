/**
 * `verl-ts/plugin`: everything that the author of a plugin needs. Types and small helpers only; importing it loads no
 * engine, no server and no heavy dependency.
 */
import { type PluginDefinition, pluginBrand } from "./host/loading/plugin-definition.js";
import type { Logger, ProcessRole } from "./host/types.js";
import type { Registrars } from "./kinds.js";
import type { Platform } from "./platform/platform.js";

/**
 * What `register` receives: one registrar per kind, valid until `register` settles. Nothing takes effect before every
 * plugin has registered; asking for the current platform in here is `VERL_PLATFORM_NOT_READY`.
 */
export interface PluginHost extends Registrars {
  readonly apiVersion: string;
  readonly logger: Logger;
  readonly process: { readonly role: ProcessRole; readonly rank: number };
  /** Aborted when the host shuts down or the plugin's deadline passes. */
  readonly signal: AbortSignal;
  /**
   * The platform that this process computes on. For factories that run later: throws `VERL_PLATFORM_NOT_READY` until
   * every plugin has registered and the platform is chosen.
   */
  platform(): Platform;
  /** Runs when the host is disposed, or at once when the plugin is rolled back. */
  onDispose(cleanup: () => void | Promise<void>): void;
}

export interface Plugin extends PluginDefinition<PluginHost> {}

/** Type-checks a plugin and marks it, so that a single file can be loaded without a package. */
export function definePlugin<P extends Plugin>(plugin: P): P {
  return Object.defineProperty(plugin, pluginBrand, { value: true, enumerable: false }) as P;
}

export type * from "./agent/agent-loop.js";
export * from "./agent/continuous-tokens/index.js";
export * from "./agent/interactions/interaction.js";
export type { InteractionSet } from "./agent/interactions/load-interactions.js";
export { AgentLoopBase } from "./agent/loops/agent-loop-base.js";
export { type LoopMedia, SessionMedia, type TakeMessages } from "./agent/loops/loop-media.js";
export { interruptible } from "./agent/loops/partial-loops.js";
export type * from "./agent/own-manager/contract.js";
export { sequenceManager } from "./agent/own-manager/find-manager.js";
export type * from "./agent/sessions/manager-factory.js";
export { jsonOrText, objectText } from "./agent/tool-parsers/argument-texts.js";
export { composeToolParser, type ToolParserForm } from "./agent/tool-parsers/compose-tool-parser.js";
export { type JsonBody, membersOf, readJson } from "./agent/tool-parsers/json-body.js";
export { joinEvents, parseToolCalls } from "./agent/tool-parsers/parse-tool-calls.js";
export { Prose, type ProseForm, THINK, type Thought } from "./agent/tool-parsers/prose.js";
export { TagSet } from "./agent/tool-parsers/tag-set.js";
export type { Parsing, TextCursor } from "./agent/tool-parsers/text-cursor.js";
export type * from "./agent/tool-parsers/tool-parser.js";
export type { TurnWriter } from "./agent/tool-parsers/turn-writer.js";
export { BadToolArguments } from "./agent/tools/bad-arguments.js";
export {
  type FunctionToolContext,
  type FunctionToolOptions,
  functionTool,
  type StandardSchema,
} from "./agent/tools/function-tool.js";
export { assistantMessage, type RequestedCall, requestedCalls } from "./agent/tools/requested-call.js";
export {
  BaseTool,
  type JsonObject,
  type Tool,
  type ToolResult,
  type ToolSchemaDefinition,
  type ToolSession,
} from "./agent/tools/tool.js";
export {
  type ToolCallLimits,
  type ToolCallRecord,
  ToolExecutor,
  type ToolOutcome,
} from "./agent/tools/tool-executor.js";
export type * from "./agent/tools/tool-factory.js";
export { ToolSet } from "./agent/tools/tool-set.js";
export { type MergedSample, type ModelCall, mergeTrajectories } from "./agent/trajectories/merge-trajectories.js";
export {
  type TrajectoryFields,
  type TrajectoryPlace,
  toRow,
  trajectoryTag,
} from "./agent/trajectories/trajectory-row.js";
export type * from "./algorithms/advantage.js";
export { aggLoss, LOSS_AGG_MODES } from "./algorithms/agg-loss.js";
export type * from "./algorithms/algebra.js";
export { outputExtent } from "./algorithms/algebra.js";
export {
  type PolicyInputs,
  policyInputs,
  policyLoss,
  policyShare,
} from "./algorithms/losses/policy-terms.js";
export { indicator, masked, maskedMean, rowMean } from "./algorithms/masked-algebra.js";
export { type CommandContext, type PluginCommand, RESERVED_COMMANDS } from "./command.js";
export type { KVBatchMeta } from "./data/batch/kv-batch-meta.js";
export { kvBatchMeta } from "./data/batch/kv-batch-meta.js";
export type { Column, SequenceBatch, SequenceInput, SequenceMedia } from "./data/batch/sequence-batch.js";
export { packSequences, selectSequences, sequenceAt } from "./data/batch/sequence-batch.js";
export type * from "./data/batch/tensor.js";
export type { MediaColumns } from "./data/media/fold-media.js";
export {
  idOfReference,
  MEDIA_KINDS,
  type MediaKind,
  type MediaLibrary,
  type MediaPart,
  type MediaReader,
  type MediaRef,
  mediaKindOf,
  mediaLabel,
  mediaPartsOf,
  type PlacedMedia,
  referenceTo,
} from "./data/media/media.js";
export type { MediaSource } from "./data/media/media-source.js";
export { MediaStore, type TakeOptions } from "./data/media/media-store.js";
export {
  type EncodedMedia,
  type MediaTokens,
  NO_MEDIA,
  type PreparedMedia,
  placeMedia,
} from "./data/media/media-tokens.js";
export type * from "./data/media/processor.js";
export { chatMessages, chatPart, type ReadableMedium } from "./data/media/readable-media.js";
export {
  type MediaInputsReader,
  type MediaIntake,
  RunMedia,
  type RunMediaOptions,
  type TakenMessages,
  textAlone,
} from "./data/media/run-media.js";
export { RandomStream, uniformAt } from "./data/random.js";
export type * from "./data/rows/dataset.js";
export type * from "./data/rows/row.js";
export type * from "./data/rows/row-sampler.js";
export type * from "./data/tokenizer.js";
export type * from "./engine/backend.js";
export { type ComposeEngineOptions, composeEngine } from "./engine/compose-engine.js";
export type { EngineReplica, ReplicaGroup } from "./engine/data-parallel/replicas.js";
export type * from "./engine/engine.js";
export type * from "./engine/memory.js";
export type { EngineCheck, OptionLook, PlanFinding, PlannedModel } from "./engine/plan-check.js";
export { findProblems } from "./engine/plan-check.js";
export { failedFinding } from "./host/diagnosis.js";
export type { ErrorCode, ErrorDetails, ErrorEntry, ErrorFactory, ErrorTable } from "./host/errors.js";
export { defineErrors, isVerlError, reasonOf, VerlError } from "./host/errors.js";
export type { PluginDefinition } from "./host/loading/plugin-definition.js";
export type { LoadUserModule } from "./host/loading/user-module.js";
export { type Profiler, profiled } from "./host/profiler.js";
export type { Kind, Owner, Registrar, Registry } from "./host/registry/kind.js";
export type { Stability } from "./host/registry/stability.js";
export type * from "./host/types.js";
export { type Reach, type ReachOptions, reach } from "./host/util/reach.js";
export { requireWritableFile, requireWritableFolder } from "./host/util/require-writable.js";
export { responseText } from "./host/util/response-text.js";
export type { KindMap, Registrars, Registries } from "./kinds.js";
export type * from "./platform/platform.js";
export { PLUGIN_API_VERSION } from "./plugin-api-version.js";
export { rewardErrors } from "./reward/errors.js";
export { createNaiveRewardManager } from "./reward/managers/naive.js";
export type * from "./reward/model/reward-model.js";
export type * from "./reward/reward.js";
export { rewardedSample } from "./reward/rewarded-sample.js";
export { whyLacking } from "./reward/servers/broken-answer.js";
export { checkServers } from "./reward/servers/check-servers.js";
export {
  type ChatAnswer,
  type ChatRequest,
  type ChatRequestMessage,
  createJudge,
  type Judge,
  type JudgeCallOptions,
  type JudgeOptions,
} from "./reward/servers/judge.js";
export type { Server } from "./reward/servers/server.js";
export type { RequestOptions, ServerClient, ServerOptions } from "./reward/servers/server-client.js";
export type {
  CheckedRequest,
  DrawKey,
  DrawnToken,
  ReplicaBackend,
  RequestLimits,
  SentMedia,
  TokenDistribution,
  WeightReceiver,
} from "./rollout/index.js";
export {
  checkRequest,
  collapsedPrompt,
  composeReplica,
  composeServerAdapter,
  GrowingResponse,
  mediaUrls,
  type ResumeLimits,
  resumingClient,
  rolloutErrors,
  StopChecker,
  TokenSampler,
} from "./rollout/index.js";
export type * from "./rollout/rollout.js";
export { composeSandbox, type Program, type SandboxBackend, sandboxErrors } from "./sandbox/index.js";
export type * from "./sandbox/sandbox.js";
export { ambientTracer } from "./tracing/ambient-tracer.js";
export { ATTRIBUTE } from "./tracing/attributes.js";
export { type OpenedSpan, RelayTracer } from "./tracing/relay/relay-tracer.js";
export type * from "./tracing/tracer.js";
export type * from "./tracking/tracker.js";
export type * from "./trainer/hooks.js";
export { HOOK_NAMES } from "./trainer/hooks.js";
export type { Alarm } from "./trainer/metrics/health.js";
export type * from "./trainer/trainer.js";
export { transferErrors } from "./transfer/errors.js";
export { InProcessQueue, type InProcessQueueOptions } from "./transfer/in-process-queue.js";
export { parseKey, promptKey, trajectoryKey, uidOfKey } from "./transfer/keys.js";
export type { PromptTag, TrajectoryTag } from "./transfer/prompt-tag.js";
export { promptTag, readPromptTag, statusTag } from "./transfer/prompt-tag.js";
export type * from "./transfer/replay-buffer.js";
export { SyncReplayBuffer } from "./transfer/sync-replay-buffer.js";
export type * from "./transfer/transfer-queue.js";
