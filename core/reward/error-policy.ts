import type { CallOptions } from "../host/types.js";
import { checkedScore } from "./checked-score.js";
import { rewardErrors } from "./errors.js";
import { ownInput } from "./own-input.js";
import type { RewardInput, RewardManager, RewardResult } from "./reward.js";

/** What happens to a trajectory whose scoring ended as `error` or `timeout`, after `retries` further attempts. */
export interface ErrorPolicy {
  readonly retries: number;
  /** End the run; score 0; or take the whole prompt group out of training. */
  readonly action: "fail" | "zero" | "drop_group";
}

/**
 * Reads `reward.on_error`: `fail`, `zero`, `drop_group`, or `retry` and `retry(n)`, which try again and then fail.
 * `retry(n) zero` and `retry(n) drop_group` name another end.
 */
export function parseErrorPolicy(text: string, maxRetries = 2): ErrorPolicy {
  const match = /^(?:(retry)(?:\((\d+)\))?)?\s*(fail|zero|drop_group)?$/.exec(text.trim());
  if (!match || text.trim() === "") {
    throw rewardErrors.VERL_REWARD_BAD_POLICY({ what: `"${text}" is no error policy`, where: "reward.on_error" });
  }
  const [, retry, times, action] = match;
  return {
    retries: retry ? Number(times ?? maxRetries) : 0,
    action: (action ?? "fail") as ErrorPolicy["action"],
  };
}

export const isFailure = (result: RewardResult): boolean => result.outcome === "error" || result.outcome === "timeout";

/** A result that stays, with the score 0 where it failed under the policy `zero`. */
export const underPolicy = (result: RewardResult, { action }: ErrorPolicy): RewardResult =>
  isFailure(result) && action === "zero" ? { ...result, score: 0 } : result;

/** What the configuration says, in a sentence about a score that ended the run. */
export const namedPolicy = ({ retries, action }: ErrorPolicy): string =>
  retries === 0 ? `reward.on_error is ${action}` : `reward.on_error is retry(${retries}) ${action}`;

/**
 * The same manager with retries, and with the score 0 under the policy `zero`: the outcome and the message stay, so the
 * row remains flagged. What a manager throws, or gives that is no result, has failed, too. `fail` and `drop_group` concern more than one trajectory; the agent-loop worker carries them out.
 */
export function withErrorPolicy(
  manager: RewardManager,
  policy: ErrorPolicy,
  /** The extra values that are trained on. */
  parts: readonly string[] = [],
): RewardManager {
  const retried =
    (score: RewardManager["score"]): RewardManager["score"] =>
    async (input: RewardInput, options?: CallOptions): Promise<RewardResult> => {
      // What an attempt does to its input is its own.
      let result = await score(ownInput(input), options);
      for (let left = policy.retries; left > 0 && isFailure(result); left--) {
        options?.signal?.throwIfAborted();
        result = await score(ownInput(input), options);
      }
      return underPolicy(result, policy);
    };
  const { staged } = manager;
  return {
    score: retried(checkedScore((input, options) => manager.score(input, options), parts)),
    supports: (dataSource) => manager.supports(dataSource),
    start: async (options) => manager.start?.(options),
    dispose: async () => manager.dispose?.(),
    ...(staged
      ? {
          staged: {
            score: retried(checkedScore((input, options) => staged.score(input, options), parts)),
            finish: (later, model) => staged.finish(later, model),
          },
        }
      : {}),
  };
}
