export { checkDataSources, dataSourceOf, UNKNOWN_SOURCE } from "./check-sources.js";
export { withScoreDeadline } from "./checked-score.js";
export { customRewardFunction } from "./custom-function.js";
export { DeadlineExceeded, withDeadline } from "./deadline.js";
export type { ErrorPolicy } from "./error-policy.js";
export { isFailure, namedPolicy, parseErrorPolicy, underPolicy, withErrorPolicy } from "./error-policy.js";
export { rewardErrors } from "./errors.js";
export { isScore, namedScore } from "./float-score.js";
export { toJsonValue } from "./json-value.js";
export { batchRewardManager, createBatchRewardManager } from "./managers/batch.js";
export { dapoRewardManager } from "./managers/dapo.js";
export { createHybridRewardManager, type HybridRule, hybridRewardManager, hybridRuleOf } from "./managers/hybrid.js";
export { createModelRewardManager, type ModelWithTokenizer } from "./managers/model.js";
export { createNaiveRewardManager, gdpoRewardManager, naiveRewardManager } from "./managers/naive.js";
export { createRateLimitedRewardManager, rateLimitedRewardManager } from "./managers/rate-limited.js";
export { createRemoteRewardManager, remoteRewardManager } from "./managers/remote.js";
export { engineRewardModel } from "./model/engine-model.js";
export { refuseMedia, renderConversation, requireTemplate } from "./model/render-conversation.js";
export type * from "./model/reward-model.js";
export { ownScore } from "./own-score.js";
export type * from "./reward.js";
export { rewardMedia } from "./rewarded-sample.js";
export type { ScorerIndex } from "./scorer-index.js";
export { createScorerIndex } from "./scorer-index.js";
export { builtinScorers, gsm8kScorer } from "./scorers/index.js";
export { scoringFix } from "./scoring-fix.js";
export { checkServers } from "./servers/check-servers.js";
export { diagnoseServers, type NamedServers } from "./servers/diagnose-servers.js";
export {
  type ChatAnswer,
  type ChatRequest,
  type ChatRequestMessage,
  createJudge,
  type Judge,
  type JudgeCallOptions,
  type JudgeOptions,
  judgeOver,
} from "./servers/judge.js";
export { MergedCalls } from "./servers/merged-calls.js";
export { type Router, type RouterOptions, startRouter } from "./servers/router.js";
export { readServer, type Server } from "./servers/server.js";
export { createServerClient, type ServerClient, type ServerOptions } from "./servers/server-client.js";
export { tracedJudge, tracedScore } from "./traced-parts.js";
export { cannotLoad, workerLost } from "./workers/worker-errors.js";
export {
  type WorkerCall,
  type WorkerMedium,
  type WorkerSpan,
  type WorkerTask,
  workerMethods,
} from "./workers/worker-methods.js";
export { WorkerPool } from "./workers/worker-pool.js";
