import { reasonAndPlace } from "../host/error-place.js";
import { isA } from "../host/errors.js";
import { isObject } from "../host/util/plain-object.js";
import { shown } from "../host/util/shown.js";
import { DeadlineExceeded, withDeadline } from "./deadline.js";
import { rewardErrors } from "./errors.js";
import { badPart, isScore, namedScore } from "./float-score.js";
import type { RewardInput, RewardManager, RewardOutcome, RewardResult } from "./reward.js";
import { inOneLine, whereOf } from "./score-value.js";

const OUTCOMES: readonly RewardOutcome[] = ["scored", "abstain", "error", "timeout"];

/**
 * The same, with managers of the user's own in mind: what it throws, and what is no result, are failed results.
 *
 * @param parts  the extra values that are trained on
 */
export function checkedScore(score: RewardManager["score"], parts: readonly string[] = []): RewardManager["score"] {
  return async (input, options) => {
    let result: unknown;
    try {
      result = await score(input, options);
    } catch (error) {
      options?.signal?.throwIfAborted();
      const why = reasonAndPlace(error);
      return failed(rewardErrors.VERL_REWARD_FAILED({ what: "the reward manager threw", why, where: whereOf(input) }));
    }
    const wrong = whatIsWrong(result, parts);
    return wrong === null ? (result as RewardResult) : failed(badResult(wrong, input));
  };
}

/**
 * The same, each score under the deadline: for a manager of the user's own, which has none of itself. Time that it waits before
 * it scores counts.
 */
export function withScoreDeadline(manager: RewardManager, deadlineMs: number): RewardManager {
  return {
    score: async (input, options) => {
      try {
        return await withDeadline(
          deadlineMs,
          (signal) => manager.score(input, { ...options, signal }),
          options?.signal,
        );
      } catch (error) {
        if (!isA(error, DeadlineExceeded)) throw error;
        const waited = error.waitedFor ? `, waiting for ${error.waitedFor}` : "";
        const what = `the reward manager's score did not settle within ${deadlineMs / 1000} s${waited}`;
        const late = rewardErrors.VERL_REWARD_TIMEOUT({ what, where: whereOf(input) });
        return { ...failed(late), outcome: "timeout" };
      }
    },
    supports: (dataSource) => manager.supports(dataSource),
    start: async (options) => manager.start?.(options),
    dispose: async () => manager.dispose?.(),
    ...(manager.staged ? { staged: manager.staged } : {}),
  };
}

const failed = (error: Parameters<typeof inOneLine>[0]): RewardResult => ({
  ...{ outcome: "error", score: null, extra: {} },
  message: inOneLine(error),
});

const badResult = (what: string, input: RewardInput) =>
  rewardErrors.VERL_REWARD_BAD_RESULT({
    what: `the reward manager gave no result: ${what}`,
    where: whereOf(input),
    fix: "return { outcome, score, extra }",
  });

/** JSON knows no NaN. */
const told = (value: unknown) => (typeof value === "number" ? namedScore(value) : shown(value));

function whatIsWrong(result: unknown, parts: readonly string[]): string | null {
  if (!isObject(result)) return `it gave ${told(result)}`;
  const { outcome, score, extra } = result;
  if (!OUTCOMES.includes(outcome as RewardOutcome)) return `its outcome is ${shown(outcome)}`;
  if (score !== null && !isScore(score)) return `its score is ${told(score)}`;
  if (outcome === "scored" && score === null) return "its outcome is scored, and it has no score";
  return isObject(extra) ? badPart(extra, parts) : `its extra is ${shown(extra)}`;
}
