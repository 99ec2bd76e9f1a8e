import { watchCall } from "../../host/blocking/block-watch.js";
import type { WatchedCall } from "../../host/blocking/board.js";
import { inUserCode } from "../../host/blocking/user-code.js";
import { reasonAndPlace } from "../../host/error-place.js";
import { isA, isVerlError } from "../../host/errors.js";
import type { Awaitable } from "../../host/types.js";
import { DeadlineExceeded, withDeadline } from "../deadline.js";
import { rewardErrors } from "../errors.js";
import type { RewardInput, RewardResult } from "../reward.js";
import { inOneLine, resultOf, whereOf } from "../score-value.js";

export interface CallLimits {
  /** Milliseconds from the moment of the call: whoever waits for a turn waits before it. */
  readonly deadlineMs: number;
  /** The caller's. Its abort rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** One call of a reward function under its deadline, as a result: what it returned or threw, or that it was too late. */
export async function scoredCall(
  input: RewardInput,
  { deadlineMs, signal }: CallLimits,
  call: (signal: AbortSignal) => Awaitable<unknown>,
): Promise<RewardResult> {
  try {
    const watched = (own: AbortSignal) =>
      watchCall(
        () => scoringOf(deadlineMs, whereOf(input)),
        () =>
          inUserCode(
            () => `the reward function for ${whereOf(input)}`,
            () => call(own),
          ),
      );
    return resultOf(await withDeadline(deadlineMs, watched, signal), input);
  } catch (error) {
    signal?.throwIfAborted();
    return failedResult(error, input);
  }
}

/** What is said where a function computes for ever: no deadline in its own thread gets a turn then. */
export function scoringOf(deadlineMs: number, rows: string): WatchedCall {
  return {
    code: "VERL_REWARD_TIMEOUT",
    label: `the reward function (reward.custom_reward_function.path, or the scorer of the data source) for ${rows}`,
    fix: "let the loop end; the reward manager remote runs functions in threads, where reward.timeout ends a single score",
    deadlineMs,
  };
}

/**
 * Scores when there is a place for it, and says how long it waited and took, in seconds. A place that cannot be had is a failed result;
 * the caller's abort rejects with its reason.
 */
export async function inTurn<P extends { readonly release: () => void }>(
  input: RewardInput,
  signal: AbortSignal | undefined,
  take: () => Promise<P>,
  score: (place: P) => Promise<RewardResult>,
): Promise<RewardResult> {
  const arrived = performance.now();
  let place: P;
  try {
    place = await take();
  } catch (error) {
    signal?.throwIfAborted();
    return failedResult(error, input);
  }
  const started = performance.now();
  try {
    const result = await score(place);
    const seconds = { queue: (started - arrived) / 1000, score: (performance.now() - started) / 1000 };
    return { ...result, seconds };
  } finally {
    place.release();
  }
}

/** `place`: the worker in which it happened, where that is not this process. */
export function failedResult(error: unknown, input: RewardInput, place?: string): RewardResult {
  const late = isA(error, DeadlineExceeded);
  const details = { where: [...(place ? [place] : []), whereOf(input)].join(", "), cause: error };
  const coded = late
    ? rewardErrors.VERL_REWARD_TIMEOUT({
        what: `scoring took longer than ${error.deadlineMs / 1000} s${error.waitedFor ? `, waiting for ${error.waitedFor}` : ""}`,
        ...details,
      })
    : rewardErrors.VERL_REWARD_FAILED({ what: "the reward function threw", why: thrown(error), ...details });
  return { outcome: late ? "timeout" : "error", score: null, extra: {}, message: inOneLine(coded) };
}

/** What was thrown and at which line of the user's file. */
function thrown(error: unknown): string {
  if (isVerlError(error)) return [`${error.code}: ${error.what}`, error.why].filter(Boolean).join(": ");
  return reasonAndPlace(error);
}
