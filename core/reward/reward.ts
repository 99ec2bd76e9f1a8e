import type { MediaReader, MediaRef } from "../data/media/media.js";
import type { ReadableMedium } from "../data/media/readable-media.js";
import type { Row } from "../data/rows/row.js";
import type { ChatMessage, Tokenizer } from "../data/tokenizer.js";
import type { Awaitable, CallOptions, JsonValue, Logger } from "../host/types.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Tracer } from "../tracing/index.js";
import type { HybridRule } from "./managers/hybrid.js";
import type { Judge } from "./servers/judge.js";

/** What is scored: one finished trajectory of a session. */
export interface RewardInput {
  /** Full trajectory key `{uid}_{session}_{index}`. */
  readonly key: string;
  readonly dataSource: string;
  /** Response text without special tokens. */
  readonly solution: string;
  /** `reward_model.ground_truth` of the row, or null. */
  readonly groundTruth: JsonValue;
  /** The row's `extra_info`, plus `num_turns` and the loop's extra fields. */
  readonly extraInfo: Readonly<Record<string, unknown>>;
  readonly promptIds: readonly number[];
  readonly responseIds: readonly number[];
  /** The conversation before the response. */
  readonly messages: readonly ChatMessage[];
  readonly row: Row;
  /** Images, videos and sounds of prompt and response, in their order; left out where there are none. Plain data. */
  readonly media?: readonly RewardMedium[];
  /** `file:line` of the dataset row, for messages. */
  readonly origin?: string;
}

/** A medium of a trajectory by reference: {@link RewardManagerOptions.media} reads it. */
export interface RewardMedium extends MediaRef {
  /** `prompt`: of the data; `response`: of a tool or a simulated user. */
  readonly place: "prompt" | "response";
}

/**
 * How scoring ended. `abstain` (a score of null, or an unparsable gold answer) is left out of group statistics;
 * `error` is handled by the policy `reward.on_error`.
 */
export type RewardOutcome = "scored" | "abstain" | "error" | "timeout";

export interface RewardResult {
  readonly outcome: RewardOutcome;
  /** Null when there is none: the function abstained, or failed under another policy than `zero`. */
  readonly score: number | null;
  /** Becomes validation variables; `acc` and `pred` have a meaning of their own there. */
  readonly extra: Readonly<Record<string, JsonValue>>;
  readonly message?: string;
  /** Seconds spent waiting for a slot, and scoring. */
  readonly seconds?: { readonly queue: number; readonly score: number };
  /** There is no score yet: what {@link StagedScoring.finish} makes one of. */
  readonly later?: JsonValue;
}

/** What a reward function is told about a trajectory. */
export interface RewardedSample {
  readonly dataSource: string;
  readonly solution: string;
  readonly groundTruth: JsonValue;
  readonly extraInfo: Readonly<Record<string, unknown>>;
  /** What prompt and response show, in their order. Bytes are read when they are asked for. */
  readonly media: readonly (RewardMedium & ReadableMedium)[];
}

/** What a reward function may use. */
export interface RewardContext {
  readonly signal: AbortSignal;
  /** `reward.reward_kwargs` and `reward.custom_reward_function.reward_kwargs`. */
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** Where to run what a model wrote. Opened when first asked for; rejects with `VERL_SANDBOX_UNAVAILABLE`. */
  readonly sandbox: OpenSandbox;
  /**
   * The servers of `reward.reward_model`; null where none are named, and in the threads of the manager `remote`. `createJudge`
   * makes another one.
   */
  readonly judge: Judge | null;
}

/** A number, or an object with `score` and extra values; null abstains. */
export type Reward = number | null | { readonly score: number | null; readonly [extra: string]: JsonValue };

/**
 * A user's reward function. It runs in the process of the rollout: an asynchronous function overlaps with others, a
 * synchronous one holds everything else up and no deadline can interrupt it, unless the reward manager is `remote`, which
 * runs it in threads of its own.
 */
export type RewardFunction = (input: RewardedSample & RewardContext) => Awaitable<Reward>;

/** The form that the reward manager `batch` calls: a list in, one reward for each out, in their order. */
export type BatchRewardFunction = (
  samples: readonly RewardedSample[],
  context: RewardContext,
) => Awaitable<readonly Reward[]>;

/** The run's sandbox (`reward.sandbox`), the same at every call. */
export type OpenSandbox = () => Promise<Sandbox>;

/** A rule-based scorer for the data sources that it names. Registered; picked by the row's `data_source`. */
export interface Scorer {
  readonly name: string;
  /** Exact names, or prefixes that end in `*`. */
  readonly dataSources: readonly string[];
  /**
   * For one that runs programs in the sandbox, one after the other: their language under these options. The run refuses to
   * start where there is no such sandbox, and a trajectory is not scored before the sandbox has a place for it.
   */
  sandboxLanguage?(kwargs: Readonly<Record<string, unknown>>): string;
  score: RewardFunction;
}

/** Scores trajectories, applying deadline, concurrency and error policy. */
export interface RewardManager {
  score(input: RewardInput, options?: CallOptions): Promise<RewardResult>;
  /** Checked before anything starts: throws `VERL_REWARD_NO_SCORER` naming what is missing. */
  supports(dataSource: string): boolean;
  /** Once, before the first trajectory: loads models, makes sure that servers answer. */
  start?(options?: CallOptions): Promise<void>;
  dispose?(): Promise<void>;
  /** For a reward model that is loaded after sampling. */
  readonly staged?: StagedScoring;
}

/** Scoring in two stages: what can be scored as trajectories arrive, and the reward model's part after sampling. */
export interface StagedScoring {
  /** As `score`, without the model: a result with `later` where its part is still missing. */
  score(input: RewardInput, options?: CallOptions): Promise<RewardResult>;
  /** The result, of the first stage's `later` and what the model gave. */
  finish(later: JsonValue, model: RewardResult): RewardResult;
}

export interface RewardManagerFactory {
  readonly name: string;
  create(options: RewardManagerOptions): Awaitable<RewardManager>;
}

export interface RewardManagerOptions {
  readonly tokenizer: Tokenizer;
  /** Reads what trajectories show. */
  readonly media: MediaReader;
  /** The user's function, which wins over scorers; null when none is configured. */
  readonly customFunction: RewardFunction | null;
  readonly rewardKwargs: Readonly<Record<string, unknown>>;
  readonly findScorer: (dataSource: string) => Scorer | null;
  readonly knownDataSources: readonly string[];
  readonly sandbox: OpenSandbox;
  /** Milliseconds of scoring proper; waiting for a slot does not count. */
  readonly deadlineMs: number;
  readonly maxConcurrent: number;
  /** For the manager `rate_limited`; null: no limit. */
  readonly rateLimits: RateLimits;
  /** For the manager `batch`. */
  readonly batch: { readonly maxSize: number; readonly maxWaitMs: number };
  /** For the manager `hybrid`. */
  readonly hybrid: readonly HybridRule[];
  /** The discriminative reward model, for the manager `hybrid`; null: none. */
  readonly rewardModel: RewardManager | null;
  /** For functions that ask a model; null: none. */
  readonly judge: Judge | null;
  /** Threads for what would hold this process up. */
  readonly workers: RewardWorkers;
  /** For spans of the parts of a score; the score itself, and requests to `judge`, have theirs already. */
  readonly tracer: Tracer;
  readonly logger: Logger;
}

export interface RateLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** What one request is counted as. */
  readonly tokensPerRequest: number;
}

/** Threads that have the run's plugins and the user's reward function. */
export interface RewardWorkers {
  /** `reward.num_workers`: how many there may be. */
  readonly count: number;
  /** Starts number `index`. Rejects when the function cannot be loaded there. */
  start(index: number): Promise<RewardWorker>;
}

/** One thread. It scores one trajectory at a time. */
export interface RewardWorker {
  /** For messages: `reward worker 2`. */
  readonly name: string;
  /**
   * Never rejects because of the function; rejects with `VERL_REWARD_WORKER_LOST` when the thread ends. `media` reads what the job
   * names, for the thread asks for it.
   */
  score(job: RewardJob, media: MediaReader): Promise<RewardResult>;
  /** Ends the thread at once, whatever it is doing. */
  stop(): Promise<void>;
}

/** What goes to a thread: plain data. */
export interface RewardJob
  extends Pick<RewardInput, "key" | "dataSource" | "solution" | "groundTruth" | "media" | "origin"> {
  readonly extraInfo: Readonly<Record<string, JsonValue>>;
}
