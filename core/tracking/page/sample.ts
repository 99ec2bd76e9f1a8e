import type { TrajectoryRecord } from "../tracker.js";
import { gapStatistics, tokenGaps } from "../trajectory-view.js";

export interface SampleLimits {
  /** Response tokens kept of one trajectory; the rest is counted. */
  readonly tokens: number;
  /** Characters kept of prompts and other texts. */
  readonly characters: number;
}

/** A trajectory as a page holds it. */
export interface Sample {
  readonly key: string;
  readonly step: number;
  readonly split: "train" | "val";
  readonly source: string;
  readonly prompt: string;
  readonly tokens: readonly string[];
  /** One digit per token. */
  readonly mask: string;
  /** Two decimals per token; null where there are none. */
  readonly logProbs: readonly number[] | null;
  /** log p of the trainer − of the sampler per token, two digits; null where there are none. */
  readonly gaps: readonly number[] | null;
  /** Tokens beyond those kept. */
  readonly more: number;
  readonly truth: string;
  readonly score: number | null;
  /** Reward parts and what else is known, as name and text. */
  readonly extra: readonly (readonly [string, string])[];
  /** Pictures of prompt and response that the page holds. */
  readonly pictures?: readonly SamplePicture[];
}

export interface SamplePicture {
  /** As it stands in the text. */
  readonly name: string;
  /** In {@link PageDocument.pictures}. */
  readonly id: string;
  readonly inPrompt: boolean;
}

export function sampleOf(record: TrajectoryRecord, { tokens: maxTokens, characters }: SampleLimits): Sample {
  const cut = (text: string) => (text.length > characters ? `${text.slice(0, characters)}…` : text);
  // Without token texts the whole response stands as one token.
  const bare = record.tokens.length === 0 && record.responseText !== "";
  const tokens = bare ? [record.responseText] : record.tokens;
  const perToken = (values: readonly number[] | null, short: (value: number) => number) =>
    bare || !values ? null : values.slice(0, maxTokens).map(short);
  return {
    key: record.key,
    step: record.step,
    split: record.split,
    source: record.dataSource,
    prompt: cut(record.promptText),
    tokens: tokens.slice(0, maxTokens).map(cut),
    mask: bare ? "1" : record.mask.slice(0, maxTokens).join(""),
    logProbs: perToken(record.logProbs, (p) => Math.round(p * 100) / 100),
    gaps: perToken(tokenGaps(record), (gap) => Number(gap.toPrecision(2))),
    more: Math.max(0, tokens.length - maxTokens),
    truth: cut(textOf(record.groundTruth)),
    score: record.score,
    extra: [
      ...Object.entries(record.extra).map(([name, value]) => [name, cut(textOf(value)).slice(0, 200)] as const),
      ...facts(record),
    ],
  };
}

function facts(record: TrajectoryRecord): (readonly [string, string])[] {
  const { stopReason, weightVersions, rewardMessage } = record;
  const gap = gapStatistics(record);
  const found: (readonly [string, string])[] = [];
  if (rewardMessage) found.push(["reward error", rewardMessage.slice(0, 200)]);
  if (stopReason) found.push(["stop", stopReason]);
  if (weightVersions) found.push(["weights", [...new Set(weightVersions)].join("–")]);
  if (gap) found.push(["gap", `mean ${gap.mean.toPrecision(2)}, max ${gap.max.toPrecision(2)}`]);
  return found;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
