import { parseKey, trajectoryKey } from "../transfer/index.js";
import type { SampleResult } from "../transfer/replay-buffer.js";
import { trainerErrors } from "./errors.js";
import type { SampledGroup } from "./hooks.js";
import type { PromptFeed } from "./prompt-feed.js";
import { type RunState, type StepMetrics, sampleBeginContext, sampleEndContext } from "./run-context.js";
import type { RunParts } from "./run-parts.js";
import { finalRows, groupByPrompt, TRAJECTORY_FIELDS, type TrainingRow, trainingRow } from "./training-row.js";

/** Rounds of refilling before a hook that drops everything is stopped. */
const MAX_REFILL_ROUNDS = 20;

export interface SampledRows {
  readonly rows: readonly TrainingRow[];
  /** Keys to clear from the queue at the end of the step, dropped groups included. */
  readonly keys: readonly string[];
}

/**
 * Wait for the step's trajectories, with `onSampleBegin` before and `onSampleEnd` after. Hooks may over-sample and drop
 * groups; dropped groups are replaced by new prompts. The servers rest as soon as nothing more is to be sampled.
 */
export async function sampleStep(
  parts: RunParts,
  feed: PromptFeed,
  state: RunState,
  metrics: StepMetrics,
  groups: number,
): Promise<SampledRows> {
  const begin = sampleBeginContext(state, metrics, groups);
  await parts.fire("onSampleBegin", begin.context);
  if (begin.requested() > 0) await feed.submitTrain(begin.requested(), state.globalStep, state.signal);

  const kept: TrainingRow[] = [];
  const keys: string[] = [];
  let missing = groups + begin.requested();
  for (let round = 0; missing > 0; round++) {
    if (round >= MAX_REFILL_ROUNDS) {
      throw trainerErrors.VERL_TRAINER_NO_TRAINABLE({
        what: `after ${round} rounds of new prompts ${missing} of ${groups} groups are still dropped by hooks`,
        where: `step ${state.globalStep}`,
        fix: "let onSampleEnd keep more groups, or drop with { refill: false }",
      });
    }
    if (round > 0) {
      await parts.weights.wake();
      await feed.submitTrain(missing, state.globalStep, state.signal);
    }
    const sampled = await parts.replay.sample({
      globalStep: state.globalStep,
      partition: "train",
      groups: missing,
      deadlineMs: parts.config.trainer.sample_deadline_s * 1000,
      signal: state.signal,
    });
    metrics.set(sampled.metrics);
    keys.push(...sampled.batch.keys);
    const rows = await readRows(parts, sampled, "train");
    const end = sampleEndContext(state, metrics, sampledGroups(rows, sampled.failedGroups));
    await parts.fire("onSampleEnd", end.context, () => parts.weights.sleep());
    kept.push(...rows.filter((row) => !end.dropped.has(row.uid)));
    missing = [...end.dropped.values()].filter((drop) => drop.refill).length;
    if (end.dropped.size > 0) {
      metrics.set({
        "training/filter_groups/evicted_samples":
          (metrics.values["training/filter_groups/evicted_samples"] ?? 0) + end.dropped.size,
      });
    }
  }
  return { rows: kept, keys };
}

/** Read the trajectories of a sample in its order: (draw, session, index). */
export async function readRows(
  parts: Pick<RunParts, "queue">,
  sampled: SampleResult,
  partition: "train" | "val",
): Promise<TrainingRow[]> {
  const { keys } = sampled.batch;
  const rows = await parts.queue.get(partition, keys, { select: TRAJECTORY_FIELDS });
  return keys.map((key, i) => {
    const parsed = parseKey(key);
    if (parsed.kind !== "trajectory") throw new TypeError(`${trajectoryKey("uid", 0, 0)} expected, not ${key}`);
    return trainingRow(key, parsed, rows[i]);
  });
}

function sampledGroups(rows: readonly TrainingRow[], failed: readonly string[]): SampledGroup[] {
  const failures = new Set(failed);
  return [...groupByPrompt(rows)].map(([uid, group]) => {
    const finals = finalRows(group);
    return {
      uid,
      dataSource: group[0].dataSource,
      scores: finals.map((row) => row.score),
      failedSessions: failures.has(uid) ? 1 : 0,
      extra: finals.map((row) => row.rewardExtra),
    };
  });
}
