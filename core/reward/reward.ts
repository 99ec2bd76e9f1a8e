import type { Row } from "../data/row.js";
import type { Tokenizer } from "../data/tokenizer.js";
import type { Awaitable, CallOptions, JsonValue, Logger } from "../host/types.js";
import type { Sandbox } from "../sandbox/sandbox.js";

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
  readonly row: Row;
  /** `file:line` of the dataset row, for messages. */
  readonly origin?: string;
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
}

/**
 * A user's reward function: a number, or an object with `score` and extra values; null abstains. It runs in the process of
 * the rollout: an asynchronous function overlaps with others, a synchronous one holds everything else up and no deadline
 * can interrupt it.
 */
export type RewardFunction = (input: {
  readonly dataSource: string;
  readonly solution: string;
  readonly groundTruth: JsonValue;
  readonly extraInfo: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** `reward.custom_reward_function.reward_kwargs`. */
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** Where to run what a model wrote. Opened when first asked for; rejects with `VERL_SANDBOX_UNAVAILABLE`. */
  readonly sandbox: OpenSandbox;
}) => Awaitable<number | null | { readonly score: number | null; readonly [extra: string]: JsonValue }>;

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
  dispose?(): Promise<void>;
}

export interface RewardManagerFactory {
  readonly name: string;
  create(options: RewardManagerOptions): Awaitable<RewardManager>;
}

export interface RewardManagerOptions {
  readonly tokenizer: Tokenizer;
  /** The user's function, which wins over scorers; null when none is configured. */
  readonly customFunction: RewardFunction | null;
  readonly rewardKwargs: Readonly<Record<string, unknown>>;
  readonly findScorer: (dataSource: string) => Scorer | null;
  readonly knownDataSources: readonly string[];
  readonly sandbox: OpenSandbox;
  /** Milliseconds of scoring proper; waiting for a slot does not count. */
  readonly deadlineMs: number;
  readonly maxConcurrent: number;
  readonly logger: Logger;
}
