import { trajectoryRecord } from "../../agent/index.js";
import type { JsonValue } from "../../host/types.js";
import { nameValidationMetrics, validationStandardErrors, validationStatistics } from "../../tracking/index.js";
import { trainerErrors } from "../errors.js";
import type { RunState } from "../run-context.js";
import type { RunParts } from "../run-parts.js";
import { warnOfFailedRewards } from "../sampling/failed-rewards.js";
import type { PromptFeed } from "../sampling/prompt-feed.js";
import { readRows } from "../sampling/sampled-group.js";
import { finalRows, type TrainingRow } from "../step/training-row.js";
import { validationShowcase } from "./showcase.js";

/** Samples shown in the report even when `log_val_generations` is 0. */
const SHOWN = 8;

/** The parts of a run that a validation needs. */
export type ValidationParts = Pick<
  RunParts,
  | "config"
  | "tokenizer"
  | "media"
  | "validation"
  | "queue"
  | "replay"
  | "lateRewards"
  | "vocabSize"
  | "trackers"
  | "dump"
  | "logger"
>;

/** Sample and score the validation set with the weights that the servers hold; returns its metrics. */
export async function validate(
  parts: ValidationParts,
  feed: Pick<PromptFeed, "submitValidation">,
  state: Pick<RunState, "globalStep" | "signal">,
): Promise<Readonly<Record<string, number>>> {
  const { config } = parts;
  const dataset = parts.validation!;
  const batchSize = config.data.val_batch_size ?? dataset.length;
  const { signal } = state;
  const rows: TrainingRow[] = [];
  const failures: Record<string, number> = {};
  for (let from = 0; from < dataset.length; from += batchSize) {
    const to = Math.min(dataset.length, from + batchSize);
    parts.trackers.progress({ step: state.globalStep, phase: "validating", done: from, total: dataset.length });
    await feed.submitValidation(dataset, from, to, state.globalStep, signal);
    const sampled = await parts.replay.sample({
      globalStep: state.globalStep,
      partition: "val",
      groups: to - from,
      deadlineMs: config.trainer.sample_deadline_s * 1000,
      signal,
    });
    signal.throwIfAborted();
    for (const [name, count] of Object.entries(sampled.metrics)) failures[name] = (failures[name] ?? 0) + count;
    rows.push(...(await readRows(parts, sampled, "val")));
    await parts.queue.clear("val", sampled.batch.keys);
  }
  const finals = finalRows(rows);
  if (finals.length === 0) {
    throw trainerErrors.VERL_TRAINER_NO_VALIDATION({
      what: `none of the ${dataset.length} validation prompts has a trajectory`,
      where: dataset.report.files.join(", "),
      fix: "look for failed sessions among the warnings above",
    });
  }
  warnOfFailedRewards(finals, `validation at step ${state.globalStep}`, parts.logger);
  const { log_val_generations: asked } = config.trainer;
  const promptText = ({ promptIds }: TrainingRow) => parts.tokenizer.decode(promptIds);
  const shown = asked > 0 ? validationShowcase(finals, asked, promptText) : finals.slice(0, SHOWN);
  const recordOf = (row: TrainingRow) =>
    trajectoryRecord(row, { key: row.key, step: state.globalStep, split: "val" }, parts.tokenizer);
  await parts.trackers.logTrajectories(shown.map(recordOf), state.globalStep);
  await parts.dump("val", state.globalStep, () => rows.map(recordOf));
  parts.media.release();
  return { ...metricsOf(finals), ...failures };
}

/** `val-core/…` and `val-aux/…` over the samples' reward and every extra value that any of them has. */
function metricsOf(finals: readonly TrainingRow[]): Record<string, number> {
  const names = new Set(finals.flatMap((row) => Object.keys(row.rewardExtra)));
  // The score itself goes by the name `reward`.
  for (const own of ["score", "reward"]) names.delete(own);
  const variables: Record<string, (number | boolean | string | null)[]> = { reward: finals.map((row) => row.score) };
  for (const name of names) variables[name] = finals.map((row) => scalar(row.rewardExtra[name]));
  const samples = {
    dataSources: finals.map((row) => row.dataSource),
    uids: finals.map((row) => row.uid),
    variables,
  };
  const abstained = finals.filter((row) => row.score === null).length;
  const turns = finals.map((row) => row.numTurns);
  return {
    ...nameValidationMetrics(validationStatistics(samples)),
    ...validationStandardErrors(samples),
    ...(abstained > 0 ? { "validation/abstained_samples": abstained } : {}),
    "val-aux/num_samples": finals.length,
    "val-aux/num_turns/min": turns.reduce((a, b) => Math.min(a, b)),
    "val-aux/num_turns/max": turns.reduce((a, b) => Math.max(a, b)),
    "val-aux/num_turns/mean": turns.reduce((a, b) => a + b, 0) / turns.length,
  };
}

function scalar(value: JsonValue | undefined): number | boolean | string | null {
  return typeof value === "object" || value === undefined ? null : value;
}
