import { setMaxListeners } from "node:events";
import type { Row } from "../../data/rows/row.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import type { JsonValue } from "../../host/types.js";
import {
  type ErrorPolicy,
  isFailure,
  namedPolicy,
  type RewardInput,
  type RewardManager,
  type RewardModel,
  type RewardResult,
  rewardErrors,
  rewardMedia,
  type StagedScoring,
  scoringFix,
  underPolicy,
} from "../../reward/index.js";
import { sessionName } from "../../transfer/index.js";
import { finalRows, type TrainingRow } from "../step/training-row.js";

/** Fields of a stored trajectory that has no score yet: the conversation before the response, and what is known of the score. */
export const LATER_FIELDS = ["promptMessages", "rewardLater"] as const;

/** Scores what a colocated reward model has to score after sampling. */
export interface LateRewards {
  /** The same rows with their scores. `stored` are the queue's, in their order. */
  score(rows: readonly TrainingRow[], stored: readonly Row[]): Promise<TrainingRow[]>;
}

export interface LateRewardsOptions {
  /** The model's. */
  readonly manager: RewardManager;
  /** Of scores that the model is a part of. */
  readonly finish?: StagedScoring["finish"];
  readonly model: RewardModel;
  readonly policy: ErrorPolicy;
  readonly tokenizer: Tokenizer;
  readonly signal: AbortSignal;
  /** The servers of the policy, which make room; null where there are none to rest. */
  readonly servers: { sleep(): Promise<void>; wake(): Promise<void> } | null;
}

/**
 * The servers rest, the model is loaded, the final output of every session is scored, the model is unloaded, the servers wake.
 * A session's reward goes to all of its outputs.
 */
export function lateRewards(given: LateRewardsOptions): LateRewards {
  const signal = AbortSignal.any([given.signal]);
  // Every trajectory that is scored listens to it.
  setMaxListeners(0, signal);
  const options = { ...given, signal };
  const { model, servers } = options;
  return {
    async score(rows, stored) {
      const storedOf = new Map(rows.map((row, i) => [row.key, stored[i]]));
      const open = finalRows(rows).filter(({ key }) => (storedOf.get(key)?.rewardOutcome ?? null) === null);
      if (open.length === 0) return [...rows];
      await servers?.sleep();
      await model.start({ signal });
      let results: readonly RewardResult[];
      try {
        results = await Promise.all(open.map((row) => scoreRow(row, storedOf.get(row.key) as Row, options)));
      } finally {
        await model.sleep();
        await servers?.wake();
      }
      return rewarded(rows, new Map(open.map((row, i) => [sessionOf(row), results[i]])), options.policy);
    },
  };
}

async function scoreRow(row: TrainingRow, stored: Row, options: LateRewardsOptions): Promise<RewardResult> {
  const { manager, finish, tokenizer, signal } = options;
  const { promptMessages = [], rewardLater: later } = stored;
  const input: RewardInput = {
    key: row.key,
    dataSource: row.dataSource,
    solution: tokenizer.decode(row.responseIds, { skipSpecialTokens: true }),
    groundTruth: row.groundTruth,
    extraInfo: {},
    promptIds: Array.from(row.promptIds),
    responseIds: Array.from(row.responseIds),
    messages: promptMessages as unknown as readonly ChatMessage[],
    row: {},
    ...(row.multiModalData ? { media: rewardMedia(row.multiModalData, row.promptIds.length) } : {}),
    ...(row.origin ? { origin: row.origin } : {}),
  };
  const result = await manager.score(input, { signal });
  // Sums have a failure of their own.
  return finish && later !== undefined ? underPolicy(finish(later as JsonValue, result), options.policy) : result;
}

const sessionOf = ({ uid, session }: TrainingRow): string => sessionName(uid, session);

/** Scoring that failed for good ends the run, or leaves the whole group out. */
function rewarded(
  rows: readonly TrainingRow[],
  results: ReadonlyMap<string, RewardResult>,
  policy: ErrorPolicy,
): TrainingRow[] {
  const dropped = new Map<string, string>();
  for (const row of rows) {
    const result = results.get(sessionOf(row));
    if (!result || !isFailure(result) || result.score !== null) continue;
    const why = result.message ?? "";
    if (policy.action === "drop_group") dropped.set(row.uid, why);
    else {
      throw rewardErrors.VERL_REWARD_FAILED({
        what: `prompt ${row.origin || row.uid} could not be scored, and ${namedPolicy(policy)}`,
        why,
        ...scoringFix(why),
      });
    }
  }
  return rows.map((row) => {
    const result = results.get(sessionOf(row));
    if (!result) return row;
    const own = {
      ...row,
      score: result.score,
      outcome: result.outcome,
      rewardExtra: result.extra,
      rewardMessage: result.message ?? null,
      metrics: {
        ...row.metrics,
        ...(result.seconds ? { computeScore: result.seconds.score, rewardQueue: result.seconds.queue } : {}),
      },
    };
    const why = dropped.get(row.uid);
    if (why === undefined || isFailure(result)) return own;
    return { ...own, score: null, outcome: "abstain" as const, rewardMessage: `the group is left out: ${why}` };
  });
}
