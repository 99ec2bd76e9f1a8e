import { trajectoryRecord } from "../agent/index.js";
import type { MediaReader } from "../data/index.js";
import type { TrajectoryRecord } from "../tracking/index.js";
import { trainerErrors } from "./errors.js";
import { stepMetrics } from "./metrics/step-metrics.js";
import { stepSpan } from "./metrics/timing.js";
import type { RunScope } from "./run-scope.js";
import { promptFeed } from "./sampling/prompt-feed.js";
import { endedGroups, readRows } from "./sampling/sampled-group.js";
import { openLoader } from "./setup/loader-setup.js";
import { createSamplingRig, type RigWeights } from "./setup/sampling-rig.js";
import { makeTrainBatch } from "./step/train-batch.js";
import { finalRows } from "./step/training-row.js";

/** What one step would have trained on. */
export interface SampledStep {
  readonly step: number;
  readonly records: readonly TrajectoryRecord[];
  /** Rewards, lengths, turns, under the names of a training run. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Reads what the trajectories show, until the next step is asked for. */
  readonly media: MediaReader;
}

/**
 * The sampling half of a run: steps of prompts are sampled and scored as training would, in its order and with its draws, all
 * with the same weights. Nothing is trained.
 */
export async function* sampleOnly(
  scope: RunScope,
  { steps, weights }: { readonly steps: number; readonly weights: RigWeights },
): AsyncGenerator<SampledStep> {
  const { config, signal } = scope;
  const { data, trainer, actor_rollout_ref } = config;
  const { rollout } = actor_rollout_ref;
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const rig = await createSamplingRig(scope, "debug", weights, cleanups);
    if (!rig.train)
      throw trainerErrors.VERL_TRAINER_REPLAY({
        what: "there is no training data to sample",
        fix: "set data.train_files",
      });
    const { queue, manager, replay, tokenizer, lateRewards, vocabSize, media, tracer } = rig;
    const loader = await openLoader(scope, rig.train);
    const feed = promptFeed({ queue, manager, loader, seed: trainer.seed, sessions: rollout.n });
    const watched = manager.failed ? AbortSignal.any([signal, manager.failed]) : signal;
    for (let step = 1; step <= steps; step++) {
      const started = performance.now();
      const { sampled, rows } = await tracer.span(stepSpan(step), async () => {
        await feed.submitTrain(data.train_batch_size, step, watched);
        const sampled = await replay.sample({
          globalStep: step,
          partition: "train",
          groups: data.train_batch_size,
          deadlineMs: trainer.sample_deadline_s * 1000,
          signal: watched,
        });
        watched.throwIfAborted();
        return { sampled, rows: await readRows({ queue, lateRewards, vocabSize, media }, sampled, "train") };
      });
      const ended = endedGroups(rows, sampled.failedGroups);
      feed.ended(ended.map(({ uid, rows: own }) => ({ uid, scores: finalRows(own).map(({ score }) => score) })));
      feed.tellSampler();
      await queue.clear("train", sampled.batch.keys);
      const seconds = (performance.now() - started) / 1000;
      const place = {
        globalStep: step,
        epoch: 0,
        promptLength: rollout.prompt_length,
        responseLength: rollout.response_length,
        ranks: 1,
      };
      yield {
        step,
        seconds,
        media,
        records: rows.map((row) => trajectoryRecord(row, { key: row.key, step, split: "train" }, tokenizer)),
        metrics: { ...stepMetrics(makeTrainBatch(rows, 1), place), ...sampled.metrics },
      };
      media.release();
    }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}
