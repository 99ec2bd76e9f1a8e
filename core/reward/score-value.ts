import type { VerlError } from "../host/errors.js";
import type { JsonValue } from "../host/types.js";
import { rewardErrors } from "./errors.js";
import { isScore, namedScore } from "./float-score.js";
import { toJsonValue } from "./json-value.js";
import type { RewardInput, RewardResult } from "./reward.js";

/**
 * What a reward function returned, as a result. A number n becomes `{score: n}` with the extra value `acc` = n; of an
 * object every entry, `score` included, becomes an extra value. Null abstains. Anything else is an outcome `error`.
 */
export function resultOf(value: unknown, input: RewardInput): RewardResult {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const extra = isObject ? (toJsonValue(value) as Record<string, JsonValue>) : {};
  const score = asNumber(isObject ? (value as { score?: unknown }).score : value);
  if (score === null) return { outcome: "abstain", score: null, extra };
  if (isScore(score)) {
    return { outcome: "scored", score, extra: isObject ? extra : { acc: score } };
  }
  const error = rewardErrors.VERL_REWARD_BAD_RESULT({ what: whatIsWrong(value, isObject), where: whereOf(input) });
  return { outcome: "error", score: null, extra: {}, message: inOneLine(error) };
}

/** A coded error as the message of a result: rows, tags and the cards of other errors quote it. */
export function inOneLine({ code, what, why, where }: VerlError): string {
  return `${code}: ${what}${why ? `: ${why}` : ""}; ${where}`;
}

/** The dataset row and the trajectory, for messages. */
export function whereOf(input: Pick<RewardInput, "key" | "dataSource" | "origin">): string {
  const row = input.origin ? `dataset row ${input.origin}, ` : "";
  return `${row}trajectory ${input.key}, data source "${input.dataSource}"`;
}

const asNumber = (value: unknown) => (typeof value === "boolean" ? Number(value) : value);

function whatIsWrong(value: unknown, isObject: boolean): string {
  if (value === undefined) return "the reward function returned nothing (is a `return` missing?)";
  if (!isObject) return `the reward function returned ${describe(value)} instead of a score`;
  const object = value as Record<string, unknown>;
  if (!("score" in object)) {
    const keys = Object.keys(object);
    return `the reward function returned an object without \`score\` (${keys.length > 0 ? `its keys: ${keys.join(", ")}` : "it is empty"})`;
  }
  return `the reward function returned ${describe(object.score)} as \`score\``;
}

function describe(value: unknown): string {
  if (typeof value === "number") return namedScore(value);
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 80))}`;
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}
