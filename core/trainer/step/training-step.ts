import { type Trained, trajectoryRecord } from "../../agent/index.js";
import { showcase } from "../evaluation/showcase.js";
import { stepMetrics } from "../metrics/step-metrics.js";
import type { StepTimers } from "../metrics/timing.js";
import { type RunState, type StepMetrics, stepContext, stepEndContext } from "../run-context.js";
import type { RunParts } from "../run-parts.js";
import type { PromptFeed } from "../sampling/prompt-feed.js";
import { sampleStep } from "../sampling/sampling-stage.js";
import { sampleBaselines } from "./baseline-stage.js";
import { runPipeline } from "./step-pipeline.js";
import type { TrainBatch } from "./train-batch.js";
import type { TrainingRow } from "./training-row.js";

/** Trajectories shown by trackers after each training step. */
const SHOWN_PER_STEP = 6;

export interface TrainingStep {
  readonly parts: RunParts;
  readonly feed: PromptFeed;
  readonly state: RunState;
  readonly metrics: StepMetrics;
  readonly timers: StepTimers;
  /** Write a checkpoint if this step is due for one; what the step has trained on comes with it. */
  save(batch: TrainBatch): Promise<void>;
  /** Keep what hooks have added to the metrics since the step was saved, if it was. */
  keepMetrics(): Promise<void>;
  /** Bring the servers to the new weights. */
  pushWeights(): Promise<void>;
}

/**
 * One step, from `onStepBegin` to `onStepEnd`: sample, train, save, push the new weights. The trajectories are written out
 * before the checkpoint is, so that a run killed after saving has lost none.
 */
export function runStep(step: TrainingStep): Promise<TrainBatch> {
  const { parts, feed, state, metrics, timers } = step;
  const { data, trainer, actor_rollout_ref } = parts.config;
  const { prompt_length: promptLength, response_length: responseLength } = actor_rollout_ref.rollout;
  const { globalStep } = state;
  const onPhase = (phase: string, done?: number, total?: number) =>
    parts.trackers.progress({ step: globalStep, phase, done, total });

  return timers.time("step", async () => {
    await parts.fire("onStepBegin", stepContext(state, metrics));
    const sampled = await timers.time("gen", () =>
      sampleStep(parts, feed, { state, metrics, groups: data.train_batch_size, onPhase }),
    );
    const baselines = await baselinesOf(step, sampled.rows);
    const batch = await runPipeline(parts, sampled.rows, {
      globalStep,
      metrics,
      timers,
      signal: state.signal,
      baselines,
      onPhase,
    });
    const ranks = trainer.n_gpus_per_node;
    metrics.set(stepMetrics(batch, { globalStep, epoch: state.epoch, promptLength, responseLength, ranks }));
    await timers.time("dump_rollout_generations", () => show(parts, batch, globalStep));
    await parts.queue.clear("train", sampled.keys);
    parts.media.release();
    // What the sampler makes of the step is part of its state, and so of the checkpoint.
    feed.tellSampler();
    await step.save(batch);
    await parts.fire("onStepEnd", stepEndContext(state, metrics), () =>
      timers.time("update_weights", async () => {
        await step.keepMetrics();
        await step.pushWeights();
      }),
    );
    await step.keepMetrics();
    return batch;
  });
}

/** Null for an estimator that needs none. */
async function baselinesOf(
  { parts, feed, state, timers }: TrainingStep,
  rows: readonly TrainingRow[],
): Promise<ReadonlyMap<string, number> | null> {
  if (!parts.estimator.needs.includes("rewardBaselines")) return null;
  const uids = [...new Set(rows.map(({ uid }) => uid))];
  return timers.time("gen_max", () => sampleBaselines(parts, feed, uids, state));
}

async function show(parts: RunParts, batch: TrainBatch, globalStep: number): Promise<void> {
  const position = new Map(batch.rows.map((row, b) => [row, b]));
  const recordOf = (row: TrainingRow) =>
    trajectoryRecord(
      row,
      { key: row.key, step: globalStep, split: "train" },
      parts.tokenizer,
      trainedTokens(batch, position.get(row)!),
    );
  await parts.trackers.logTrajectories(showcase(batch.rows, SHOWN_PER_STEP).map(recordOf), globalStep);
  await parts.dump("train", globalStep, () => batch.rows.map(recordOf));
}

function trainedTokens({ sequences, oldLogProb, advantages }: TrainBatch, b: number): Trained {
  const [start, end] = [sequences.responseOffsets[b], sequences.responseOffsets[b + 1]];
  const own = (values_R: ArrayLike<number> | null) => values_R && Array.prototype.slice.call(values_R, start, end);
  return { trainerLogProbs: own(oldLogProb), advantages: own(advantages) };
}
