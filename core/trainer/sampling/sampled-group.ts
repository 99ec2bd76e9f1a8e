import { trajectoryKey } from "../../transfer/index.js";
import { parseKey } from "../../transfer/keys.js";
import type { SampleResult } from "../../transfer/replay-buffer.js";
import type { SampledGroup } from "../hooks.js";
import type { RunParts } from "../run-parts.js";
import {
  finalRows,
  groupByPrompt,
  requireTokenIds,
  TRAJECTORY_FIELDS,
  type TrainingRow,
  trainingRow,
  withHeldMedia,
} from "../step/training-row.js";
import { LATER_FIELDS } from "./late-rewards.js";
import type { PromptFeed } from "./prompt-feed.js";

/** A prompt group that has ended, with the trajectories that it has. */
export interface EndedGroup {
  readonly uid: string;
  readonly rows: readonly TrainingRow[];
  /** A session threw, or scoring failed for good. */
  readonly failed: boolean;
}

/** Read the trajectories of a sample in its order: (draw, session, index). What is not scored yet is scored. */
export async function readRows(
  parts: Pick<RunParts, "queue" | "lateRewards" | "vocabSize" | "media">,
  sampled: SampleResult,
  partition: "train" | "val",
): Promise<TrainingRow[]> {
  const { keys } = sampled.batch;
  const { lateRewards } = parts;
  const select = lateRewards ? [...TRAJECTORY_FIELDS, ...LATER_FIELDS] : TRAJECTORY_FIELDS;
  const stored = await parts.queue.get(partition, keys, { select });
  const { vocabSize } = parts;
  const rows = keys.map((key, i) => {
    const parsed = parseKey(key);
    if (parsed.kind !== "trajectory") throw new TypeError(`${trajectoryKey("uid", 0, 0)} expected, not ${key}`);
    const row = trainingRow(key, parsed, stored[i]);
    const { agentName } = stored[i];
    requireTokenIds(row, vocabSize, typeof agentName === "string" ? agentName : null);
    return withHeldMedia(row, parts.media);
  });
  return lateRewards ? lateRewards.score(rows, stored) : rows;
}

/** Groups in the order of their draw; failed ones without any trajectory are among them. */
export function endedGroups(rows: readonly TrainingRow[], failedGroups: readonly string[]): EndedGroup[] {
  const failed = new Set(failedGroups);
  const byPrompt = groupByPrompt(rows);
  const uids = new Set([...byPrompt.keys(), ...failedGroups]);
  return [...uids].sort().map((uid) => ({ uid, rows: byPrompt.get(uid) ?? [], failed: failed.has(uid) }));
}

/** A group as hooks see it. */
export function asHooksSeeIt({ uid, rows }: EndedGroup, feed: Pick<PromptFeed, "sessionsOf">): SampledGroup {
  const finals = finalRows(rows);
  return {
    uid,
    dataSource: rows[0]?.dataSource ?? "unknown",
    scores: finals.map((row) => row.score),
    failedSessions: Math.max(0, feed.sessionsOf(uid) - finals.length),
    extra: finals.map((row) => row.rewardExtra),
  };
}
