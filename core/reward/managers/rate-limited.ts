import type { JsonValue } from "../../host/types.js";
import { type BucketClock, TokenBucket } from "../../host/util/token-bucket.js";
import { isFailure } from "../error-policy.js";
import type { RewardManager, RewardManagerFactory, RewardManagerOptions, RewardResult } from "../reward.js";
import { createNaiveRewardManager } from "./naive.js";

/** For functions that call a service with a quota: `naive` under `reward.max_rpm` and `reward.max_tpm`. */
export const rateLimitedRewardManager: RewardManagerFactory = {
  name: "rate_limited",
  create: (options) => createRateLimitedRewardManager(options),
};

/**
 * A trajectory waits for the bucket of requests, then for that of tokens (`estimated_tokens_per_request` each), then for one
 * of `maxConcurrent` places; the deadline begins after that. The limits hold for the whole run. What fails carries the
 * reference's extra values (`acc: 0`, and `timeout` or `error`); what becomes of it is `reward.on_error`'s to say.
 */
export function createRateLimitedRewardManager(options: RewardManagerOptions, clock?: BucketClock): RewardManager {
  const { requestsPerMinute, tokensPerMinute, tokensPerRequest } = options.rateLimits;
  const inner = createNaiveRewardManager(options);
  warnOfLongWaits(options);
  // As in verl a bucket holds what one second brings.
  const bucketOf = (perMinute: number | null) =>
    perMinute === null ? null : new TokenBucket({ perSecond: perMinute / 60 }, clock);
  const requests = bucketOf(requestsPerMinute);
  const tokens = bucketOf(tokensPerMinute);
  return {
    ...inner,
    async score(input, call) {
      const arrived = performance.now();
      await requests?.take(1, call?.signal);
      await tokens?.take(tokensPerRequest, call?.signal);
      const limited = (performance.now() - arrived) / 1000;
      const result = await inner.score(input, call);
      const { queue, score } = result.seconds ?? { queue: 0, score: 0 };
      return { ...result, extra: extraOf(result), seconds: { queue: queue + limited, score } };
    },
  };
}

/** A limit that lets a trajectory through less often than scoring may take is likely a slip, and looks like a run that hangs. */
function warnOfLongWaits({ rateLimits, deadlineMs, logger }: RewardManagerOptions): void {
  const { requestsPerMinute, tokensPerMinute, tokensPerRequest } = rateLimits;
  for (const [key, perMinute, amount] of [
    ["max_rpm", requestsPerMinute, 1],
    ["max_tpm", tokensPerMinute, tokensPerRequest],
  ] as const) {
    if (perMinute === null) continue;
    const seconds = (60 * amount) / perMinute;
    if (seconds * 1000 <= deadlineMs) continue;
    const of = key === "max_tpm" ? ` (of reward.estimated_tokens_per_request = ${amount} tokens)` : "";
    logger.warn(
      `reward.${key} = ${perMinute} lets one trajectory${of} be scored every ${seconds.toPrecision(3)} s, longer than reward.timeout (${deadlineMs / 1000} s)`,
    );
  }
}

function extraOf(result: RewardResult): Readonly<Record<string, JsonValue>> {
  if (!isFailure(result)) return result.extra;
  return result.outcome === "timeout" ? { timeout: true, acc: 0 } : { error: result.message ?? "", acc: 0 };
}
