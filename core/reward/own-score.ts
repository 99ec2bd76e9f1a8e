import type { JsonValue } from "../host/types.js";
import { rewardErrors } from "./errors.js";
import { badPart, isScore, namedScore } from "./float-score.js";
import type { RewardInput, RewardResult } from "./reward.js";
import { inOneLine, whereOf } from "./score-value.js";

/**
 * The score that an agent loop gave its trajectory, as a result. One that is none is an outcome `error`, as of a reward function; it
 * is not computed again, whatever the policy says of retries.
 *
 * @param parts  the extra values that are trained on
 */
export function ownScore(
  score: number,
  extra: Readonly<Record<string, JsonValue>>,
  place: Pick<RewardInput, "key" | "dataSource" | "origin">,
  parts: readonly string[] = [],
): RewardResult {
  const badly = isScore(score) ? badPart(extra, parts) : `it is ${namedScore(score)}`;
  if (badly === null) return { outcome: "scored", score, extra };
  const error = rewardErrors.VERL_REWARD_BAD_RESULT({
    what: `the agent loop gave a rewardScore that is none: ${badly}`,
    where: whereOf(place),
  });
  return { outcome: "error", score: null, extra: {}, message: inOneLine(error) };
}
