/**
 * Statistics of one training batch, under the reference's names. Rows without response tokens count as aborted and stay
 * out of scores and rewards; rows whose score is NaN abstained and stay out too, counted. Lengths are those of raw
 * tokens, whatever the loss mask says. Padding rows must not be passed in.
 */
import { summary, total } from "./metrics.js";

export interface DataMetricsInput {
  /** [B + 1] */
  readonly responseOffsets: Int32Array;
  /** [R] */
  readonly responseMask: ArrayLike<number>;
  /** [B] */
  readonly promptLengths: ArrayLike<number>;
  /** Tokens of each response; default from the offsets, [B]. */
  readonly responseLengths?: ArrayLike<number>;
  /** [R] each. */
  readonly tokenLevelScores: ArrayLike<number>;
  readonly tokenLevelRewards: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  readonly returns: ArrayLike<number>;
  /** With a critic, [R]. */
  readonly values?: ArrayLike<number>;
  /** [B] each. */
  readonly numTurns?: ArrayLike<number>;
  readonly toolCallCounts?: ArrayLike<number>;
}

export interface DataMetricsOptions {
  /** Lengths that count as clipped; default the longest of the batch, as in the reference. */
  readonly maxResponseLength?: number;
  readonly maxPromptLength?: number;
  /** Default `training/num_turns`. */
  readonly numTurnsName?: string;
}

export function dataMetrics(input: DataMetricsInput, options: DataMetricsOptions = {}): Record<string, number> {
  const { responseOffsets: offsets, responseMask: mask } = input;
  const rows = offsets.length - 1;
  const lengths = Array.from(
    input.responseLengths ?? Array.from({ length: rows }, (_, b) => offsets[b + 1] - offsets[b]),
  );
  const prompts = Array.from(input.promptLengths);
  const scores = rowTotals(input.tokenLevelScores, offsets);
  const rewards = rowTotals(input.tokenLevelRewards, offsets);
  const aborted = lengths.map((length) => length === 0);
  const abstained = scores.map((score, b) => !aborted[b] && Number.isNaN(score));
  const scored = (values: readonly number[]) => values.filter((_, b) => !aborted[b] && !abstained[b]);
  const valid = (values: ArrayLike<number>) => Array.from(values).filter((_, r) => mask[r] !== 0);
  const responseLimit = options.maxResponseLength ?? Math.max(0, ...lengths);
  const completed = lengths.filter((length) => length > 0);
  return {
    ...summary("critic/score", scored(scores)),
    ...summary("critic/rewards", scored(rewards)),
    ...summary("critic/advantages", valid(input.advantages)),
    ...summary("critic/returns", valid(input.returns)),
    ...(input.values ? criticMetrics(valid(input.values), valid(input.returns)) : {}),
    ...lengthMetrics("response_length", lengths, responseLimit),
    ...lengthMetrics("response_length_non_aborted", completed, responseLimit),
    "response/aborted_ratio": ratio(aborted),
    "reward/abstained_ratio": ratio(abstained),
    ...lengthMetrics("prompt_length", prompts, options.maxPromptLength ?? Math.max(0, ...prompts)),
    ...(input.numTurns ? summary(options.numTurnsName ?? "training/num_turns", Array.from(input.numTurns)) : {}),
    ...(input.toolCallCounts ? summary("tool_call_counts", Array.from(input.toolCallCounts)) : {}),
  };
}

/** Explained variance 1 − var(returns − values)/(var(returns) + 1e-5), sample variances. */
function criticMetrics(values: readonly number[], returns: readonly number[]): Record<string, number> {
  const errors = returns.map((r, i) => r - values[i]);
  return {
    ...summary("critic/values", values),
    "critic/vf_explained_var": 1 - sampleVariance(errors) / (sampleVariance(returns) + 1e-5),
  };
}

function lengthMetrics(name: string, lengths: readonly number[], limit: number): Record<string, number> {
  return { ...summary(name, lengths), [`${name}/clip_ratio`]: ratio(lengths.map((length) => length === limit)) };
}

function rowTotals(values: ArrayLike<number>, offsets: Int32Array): number[] {
  return Array.from({ length: offsets.length - 1 }, (_, b) => {
    let sum = 0;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) sum += values[r];
    return sum;
  });
}

function sampleVariance(xs: readonly number[]): number {
  const mean = total(xs) / xs.length;
  return xs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (xs.length - 1);
}

const ratio = (flags: readonly boolean[]) =>
  flags.length > 0 ? flags.filter(Boolean).length / flags.length : Number.NaN;
