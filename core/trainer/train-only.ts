import type { MediaLibrary } from "../data/index.js";
import type { TrajectoryRecord } from "../tracking/index.js";
import { trainerErrors } from "./errors.js";
import { readMedia } from "./media-files.js";
import { stepMetrics, timeMetrics } from "./metrics/step-metrics.js";
import { StepTimers, stepSpan } from "./metrics/timing.js";
import { checkPlan, requirePlan } from "./plan/plan-check.js";
import { StepMetrics } from "./run-context.js";
import type { PipelineParts } from "./run-parts.js";
import type { RunScope } from "./run-scope.js";
import { checkOutputs, createAlgorithm } from "./setup/algorithm-setup.js";
import { openPromptInputs } from "./setup/input-setup.js";
import { createPlannedEngine, type EnginePlan, planEngines } from "./setup/run-engines.js";
import { createCommandTracer } from "./setup/tracing-setup.js";
import { LostUpdates } from "./step/divergence.js";
import { referencePolicy } from "./step/reference-policy.js";
import { runPipeline } from "./step/step-pipeline.js";
import { recordedRow, requireTokenIds, type TrainingRow, withHeldMedia } from "./step/training-row.js";

export interface TrainedStep {
  readonly step: number;
  readonly trajectories: number;
  /** Of the advantages, the updates and the gap to the recorded log-probabilities, under the names of a training run. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface RecordedSteps {
  readonly steps: ReadonlyMap<number, readonly TrajectoryRecord[]>;
  /** Where they were read from: media lie beside dumps. */
  readonly folders: readonly string[];
}

/**
 * The training half of a run: recorded trajectories go through log-probabilities, advantages and updates as in training, one
 * step after the other. No server is started, and nothing is sampled, scored or saved.
 */
export async function* trainOnly(scope: RunScope, { steps, folders }: RecordedSteps): AsyncGenerator<TrainedStep> {
  const { config, signal, logger } = scope;
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const algorithm = createAlgorithm(scope);
    if (algorithm.estimator.needs.includes("rewardBaselines")) {
      throw trainerErrors.VERL_TRAINER_REPLAY({
        what: `the estimator ${algorithm.estimator.name} needs greedy responses, which no file holds`,
        fix: "choose another algorithm.adv_estimator",
      });
    }
    const checks = { algorithm, totalSteps: steps.size, owners: ["actor", "critic", "reference"] as const };
    requirePlan(await checkPlan(scope, checks), logger);
    const showsMedia = [...steps.values()].some((records) => records.some(({ media }) => media));
    const media = showsMedia ? (await openPromptInputs(scope, cleanups)).media : null;
    const tracer = await createCommandTracer(scope, "debug");
    cleanups.push(() => tracer.finish());
    const plans = planEngines(scope, steps.size);
    const start = async (plan: EnginePlan) => {
      const engine = await createPlannedEngine(plan, { services: scope.services, ranks: null }, cleanups);
      await engine.initialize({ signal });
      return engine;
    };
    const actor = await start(plans.actor);
    checkOutputs(actor, algorithm);
    const critic = plans.critic && (await start(plans.critic));
    const reference = referencePolicy(config, actor, plans.reference && (await start(plans.reference)));
    const lostUpdates = new LostUpdates(config.trainer.max_skipped_updates);
    const models = { actor, critic, reference, media, lostUpdates, weights: { version: 0 } };
    const parts: PipelineParts = { ...algorithm, ...models, config, logger };
    const { prompt_length: promptLength, response_length: responseLength } = config.actor_rollout_ref.rollout;
    for (const [step, records] of steps) {
      if (media) await readMedia(folders, records, media, { signal });
      const rows = rowsOf(records, actor.modelInfo().vocabSize, media);
      const metrics = new StepMetrics();
      const timers = new StepTimers(tracer);
      const run = { globalStep: step, metrics, timers, signal, baselines: null, onPhase() {} };
      const work = () => timers.time("step", () => runPipeline(parts, rows, run));
      const batch = await tracer.span(stepSpan(step), work);
      metrics.set(stepMetrics(batch, { globalStep: step, epoch: 0, promptLength, responseLength, ranks: 1 }));
      metrics.set(timeMetrics(batch, timers, 1));
      yield { step, trajectories: rows.length, metrics: metrics.values };
    }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** What was recorded counts as sampled by the weights at hand: how far they are apart is in the sampler gap. */
function rowsOf(
  records: readonly TrajectoryRecord[],
  vocabSize: number,
  media: Pick<MediaLibrary, "find"> | null,
): TrainingRow[] {
  return records.map((record) => {
    const row = recordedRow(record, 0);
    if (row) {
      requireTokenIds(row, vocabSize);
      return media ? withHeldMedia(row, media) : row;
    }
    throw trainerErrors.VERL_TRAINER_REPLAY({
      what: `the recorded trajectory ${record.key || "without a key"} of step ${record.step} has no token ids`,
      fix: "take a dump that verl-ts wrote (trainer.rollout_data_dir), not one of texts alone",
    });
  });
}
