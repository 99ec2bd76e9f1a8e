import {
  agentErrors,
  asHeld,
  MEDIA_FIX,
  placeProblem,
  strangeProblem,
  TOKEN_ID_FIX,
  tokenIdProblem,
} from "../../agent/index.js";
import type { MediaLibrary, PlacedMedia } from "../../data/media/media.js";
import type { FieldValue, Row } from "../../data/rows/row.js";
import type { JsonValue } from "../../host/types.js";
import type { RewardOutcome } from "../../reward/reward.js";
import type { VersionRun } from "../../rollout/rollout.js";
import type { TrajectoryRecord } from "../../tracking/tracker.js";
import { parseKey } from "../../transfer/keys.js";
import type { Tag } from "../../transfer/transfer-queue.js";

/** One stored trajectory, as the trainer reads it from the queue. */
export interface TrainingRow {
  readonly key: string;
  readonly uid: string;
  readonly session: number;
  /** Position among the outputs of its session; the highest is final. */
  readonly index: number;
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
  /** 1 = sampled by the policy. */
  readonly responseMask: ArrayLike<number>;
  readonly rolloutLogProbs: Float32Array | null;
  /** Null unless the outcome is `scored`. */
  readonly score: number | null;
  readonly outcome: RewardOutcome;
  readonly rewardExtra: Readonly<Record<string, JsonValue>>;
  readonly rewardMessage: string | null;
  readonly dataSource: string;
  readonly groundTruth: JsonValue;
  readonly origin: string;
  readonly numTurns: number;
  /** What the agent loop spent and counted. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly stopReason: string;
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
  /** Which weights drew which sampled token; null where only the span is known. */
  readonly weightVersions: readonly VersionRun[] | null;
  /** Media among prompt and response, by reference; absent where there are none. */
  readonly multiModalData?: readonly PlacedMedia[];
}

/** Fields of a trajectory that {@link trainingRow} reads. */
export const TRAJECTORY_FIELDS = [
  "promptIds",
  "responseIds",
  "responseMask",
  "rolloutLogProbs",
  "score",
  "rewardOutcome",
  "rewardExtra",
  "rewardMessage",
  "dataSource",
  "groundTruth",
  "origin",
  "numTurns",
  "metrics",
  "stopReason",
  "minWeightVersion",
  "maxWeightVersion",
  "weightVersions",
  "agentName",
  "multiModalData",
] as const;

export function trainingRow(
  key: string,
  parsed: { readonly uid: string; readonly session: number; readonly index: number },
  row: Row,
): TrainingRow {
  const logProbs = row.rolloutLogProbs;
  return {
    key,
    uid: parsed.uid,
    session: parsed.session,
    index: parsed.index,
    promptIds: ids(row.promptIds, key),
    responseIds: ids(row.responseIds, key),
    responseMask: row.responseMask as Int32Array | Float32Array,
    rolloutLogProbs: logProbs instanceof Float32Array ? logProbs : null,
    score: typeof row.score === "number" ? row.score : null,
    outcome: (row.rewardOutcome as RewardOutcome | undefined) ?? "abstain",
    rewardExtra: (row.rewardExtra as Record<string, JsonValue> | undefined) ?? {},
    rewardMessage: typeof row.rewardMessage === "string" ? row.rewardMessage : null,
    dataSource: typeof row.dataSource === "string" ? row.dataSource : "unknown",
    groundTruth: (row.groundTruth as JsonValue | undefined) ?? null,
    origin: typeof row.origin === "string" ? row.origin : "",
    numTurns: number(row.numTurns, 0),
    metrics: (row.metrics as Record<string, number> | undefined) ?? {},
    stopReason: typeof row.stopReason === "string" ? row.stopReason : "",
    minWeightVersion: number(row.minWeightVersion, -1),
    maxWeightVersion: number(row.maxWeightVersion, -1),
    weightVersions: (row.weightVersions as readonly VersionRun[] | null | undefined) ?? null,
    ...(Array.isArray(row.multiModalData)
      ? { multiModalData: row.multiModalData as unknown as readonly PlacedMedia[] }
      : {}),
  };
}

/** The row that a recorded trajectory was, under another weight version; null for a record without token ids. */
export function recordedRow(record: TrajectoryRecord, weightVersion: number): TrainingRow | null {
  const { key, promptIds, responseIds, logProbs, score, media } = record;
  const parsed = parseKey(key);
  if (!promptIds || !responseIds || parsed.kind !== "trajectory") return null;
  return {
    key,
    uid: parsed.uid,
    session: parsed.session,
    index: parsed.index,
    promptIds: Int32Array.from(promptIds),
    responseIds: Int32Array.from(responseIds),
    responseMask: record.mask,
    rolloutLogProbs: logProbs && Float32Array.from(logProbs),
    score,
    outcome: score === null ? "abstain" : "scored",
    rewardExtra: record.extra,
    rewardMessage: record.rewardMessage ?? null,
    dataSource: record.dataSource,
    groundTruth: record.groundTruth,
    origin: record.origin ?? "",
    numTurns: record.numTurns ?? 0,
    metrics: {},
    stopReason: record.stopReason ?? "",
    minWeightVersion: weightVersion,
    maxWeightVersion: weightVersion,
    weightVersions: null,
    ...(media ? { multiModalData: media } : {}),
  };
}

/**
 * Refuses a trajectory with a token that the model cannot have: managers of one's own store what they like, and recorded
 * trajectories may be another model's. The engine would refuse the whole batch without a name.
 */
export function requireTokenIds(
  { key, origin, promptIds, responseIds }: TrainingRow,
  vocabSize: number | null,
  agentName: string | null = null,
): void {
  const what = tokenIdProblem({ promptIds, responseIds }, vocabSize);
  if (what === null) return;
  const where = [`trajectory ${key}`, agentName && `agent loop ${agentName}`, origin];
  throw agentErrors.VERL_AGENT_BAD_OUTPUT({ what, where: where.filter(Boolean).join(", "), fix: TOKEN_ID_FIX });
}

/** Refuses media that a trajectory cannot have, for the same reasons; the row with those that the run holds. */
export function withHeldMedia(row: TrainingRow, library: Pick<MediaLibrary, "find">): TrainingRow {
  const { key, origin, multiModalData: media, promptIds, responseIds } = row;
  if (!media) return row;
  const what = placeProblem(media, promptIds.length + responseIds.length) ?? strangeProblem(media, library);
  if (what === null) return { ...row, multiModalData: asHeld(media, library) };
  const where = [`trajectory ${key}`, origin].filter(Boolean).join(", ");
  throw agentErrors.VERL_AGENT_BAD_OUTPUT({ what, where, fix: MEDIA_FIX });
}

/** Rows of the same prompt, in their order of appearance. */
export function groupByPrompt(rows: readonly TrainingRow[]): ReadonlyMap<string, readonly TrainingRow[]> {
  const groups = new Map<string, TrainingRow[]>();
  for (const row of rows) {
    const group = groups.get(row.uid);
    if (group) group.push(row);
    else groups.set(row.uid, [row]);
  }
  return groups;
}

/** The last output of each session: the one that was scored. */
export function finalRows(rows: readonly TrainingRow[]): readonly TrainingRow[] {
  const last = new Map<string, TrainingRow>();
  for (const row of rows) {
    const session = `${row.uid}_${row.session}`;
    const known = last.get(session);
    if (!known || row.index > known.index) last.set(session, row);
  }
  return [...last.values()];
}

/** Tag of a key, read as a number. */
export function tagNumber(tag: Tag, name: string, fallback: number): number {
  return number(tag[name], fallback);
}

function ids(value: FieldValue | undefined, key: string): Int32Array {
  if (value instanceof Int32Array) return value;
  if (Array.isArray(value)) return Int32Array.from(value as number[]);
  throw agentErrors.VERL_AGENT_BAD_OUTPUT({ what: "it holds no list of token ids", where: `trajectory ${key}` });
}

function number(value: FieldValue | undefined, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
