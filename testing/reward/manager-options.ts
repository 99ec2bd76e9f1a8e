import { MediaStore, type RewardManagerOptions, type Tokenizer } from "../../core/plugin.js";
import { noTracer } from "../../core/tracing/index.js";
import { createFakeSandbox } from "../sandbox/fake-sandbox.js";

/** What a reward manager is made from, in tests: no function, no scorers, no threads, ten seconds, four at a time. */
export function rewardManagerOptions(over: Partial<RewardManagerOptions> = {}): RewardManagerOptions {
  return {
    tokenizer: {} as Tokenizer,
    media: new MediaStore(),
    customFunction: null,
    rewardKwargs: {},
    findScorer: () => null,
    knownDataSources: [],
    sandbox: async () => createFakeSandbox(),
    deadlineMs: 10_000,
    maxConcurrent: 4,
    rateLimits: { requestsPerMinute: null, tokensPerMinute: null, tokensPerRequest: 2000 },
    batch: { maxSize: 1, maxWaitMs: 0 },
    hybrid: [],
    rewardModel: null,
    judge: null,
    workers: { count: 1, start: () => Promise.reject(new Error("there are no threads in this test")) },
    tracer: noTracer,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...over,
  };
}
