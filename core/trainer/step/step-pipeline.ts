import { valueLoss } from "../../algorithms/index.js";
import type { BaseEngine, TrainBatchResult } from "../../engine/engine.js";
import { trainerErrors } from "../errors.js";
import { entropyMetric } from "../metrics/entropy-metric.js";
import { gapMetrics } from "../metrics/sampler-gap.js";
import type { StepTimers } from "../metrics/timing.js";
import { updateVariance } from "../metrics/variance-metrics.js";
import type { StepMetrics } from "../run-context.js";
import type { PipelineParts } from "../run-parts.js";
import { warnOfFailedRewards } from "../sampling/failed-rewards.js";
import { computeAdvantages } from "./advantage-stage.js";
import { correctStep } from "./correction-stage.js";
import { requireNumbers } from "./divergence.js";
import { inferBatch } from "./infer.js";
import { withMediaInputs } from "./media-inputs.js";
import { updateModel } from "./model-update.js";
import { filterPolicy } from "./policy-filtration.js";
import { hasPolicyTokens, isTrainable, makeTrainBatch, type TrainBatch } from "./train-batch.js";
import type { TrainingRow } from "./training-row.js";

export interface StepScope {
  readonly globalStep: number;
  readonly metrics: StepMetrics;
  readonly timers: StepTimers;
  readonly signal: AbortSignal;
  /** Score of a greedy response to each prompt, by uid; null where the estimator needs none. */
  readonly baselines: ReadonlyMap<string, number> | null;
  onPhase(phase: string, done?: number, total?: number): void;
}

/**
 * What happens to a step's trajectories, in the reference's order: old log-probabilities, reference log-probabilities,
 * values, rollout correction, KL in the reward, advantages, critic update, actor update.
 */
export async function runPipeline(
  parts: PipelineParts,
  rows: readonly TrainingRow[],
  scope: StepScope,
): Promise<TrainBatch> {
  const { config } = parts;
  const { rollout } = config.actor_rollout_ref;
  const temperature = rollout.temperature > 0 && rollout.do_sample ? rollout.temperature : 1;
  const batch = makeTrainBatch(rows, temperature, scope.baselines);
  checkRows(batch, parts, scope);
  const media = rows.map(({ multiModalData = [] }) => multiModalData);
  batch.sequences = await withMediaInputs(batch.sequences, media, parts.media, scope.signal);
  const bypass = config.algorithm.rollout_correction.bypass_mode;

  if (!bypass) await oldLogProbs(parts, batch, scope);
  if (parts.reference) {
    const { reference } = parts;
    scope.onPhase("reference log-probs");
    await scope.timers.time("ref", async () => {
      batch.refLogProb = await reference.logProb(batch, scope.signal);
    });
    requireStepNumbers(batch.refLogProb, batch, scope, "reference");
  }
  if (parts.critic) {
    const { critic } = parts;
    scope.onPhase("values");
    await scope.timers.time("values", async () => {
      batch.values = (await inferBatch(critic, batch, ["values"], valueLimits(config), scope.signal)).values;
    });
    requireStepNumbers(batch.values, batch, scope, "critic", "values");
  }
  await scope.timers.time("adv", async () => {
    if (!bypass) correctStep(parts, batch, scope.metrics);
    computeAdvantages(parts, batch, scope.metrics);
    filterPolicy(parts, batch, scope);
  });
  if (parts.critic) await updateCritic(parts, parts.critic, batch, scope);
  if (config.trainer.critic_warmup <= scope.globalStep) await updateActor(parts, batch, scope);
  return batch;
}

const valueLimits = ({ critic }: PipelineParts["config"]) => ({
  log_prob_use_dynamic_bsz: critic.use_dynamic_bsz,
  log_prob_max_token_len_per_gpu: critic.forward_max_token_len_per_gpu,
  log_prob_micro_batch_size_per_gpu: critic.ppo_micro_batch_size_per_gpu,
});

/** One stable policy for all updates of the step, and the gap between it and the sampler. */
async function oldLogProbs(parts: PipelineParts, batch: TrainBatch, scope: StepScope): Promise<void> {
  const { rollout, actor } = parts.config.actor_rollout_ref;
  const outputs = ["logProb", "entropy", ...(parts.needsSumPiSquared ? (["sumPiSquared"] as const) : [])] as const;
  scope.onPhase("old log-probs");
  await scope.timers.time("old_log_prob", async () => {
    const found = await inferBatch(parts.actor, batch, outputs, rollout, scope.signal);
    batch.oldLogProb = found.logProb;
    batch.entropy = found.entropy;
    batch.sumPiSquared = found.sumPiSquared ?? null;
  });
  requireStepNumbers(batch.oldLogProb, batch, scope, "actor");
  scope.metrics.set(gapMetrics(batch.oldLogProb!, batch.rolloutLogProb, batch.sequences.responseMask));
  scope.metrics.set({ "actor/entropy": entropyMetric(batch, actor.loss_agg_mode, actor.loss_scale_factor) });
}

function requireStepNumbers(
  values: Float32Array | null,
  { sequences }: TrainBatch,
  { globalStep: step }: StepScope,
  model: "actor" | "critic" | "reference",
  output = "log-probabilities",
): void {
  if (values) requireNumbers(values, sequences.responseMask, { model, output, step });
}

/** What both models' updates share. */
const commonOptions = <M extends "actor" | "critic">(model: M, parts: PipelineParts, scope: StepScope) => ({
  model,
  step: scope.globalStep,
  onUpdate: (result: TrainBatchResult) => parts.lostUpdates.count(model, scope.globalStep, result),
  metricReduction: parts.config.trainer.metric_reduction,
  signal: scope.signal,
});

async function updateCritic(
  parts: PipelineParts,
  engine: BaseEngine,
  batch: TrainBatch,
  scope: StepScope,
): Promise<void> {
  const { critic } = parts.config;
  const loss = valueLoss({ clipRange: critic.cliprange_value, lossAggMode: critic.loss_agg_mode });
  scope.onPhase("update critic");
  const { metrics } = await scope.timers.time("update_critic", () =>
    updateModel(engine, batch, loss, {
      ...commonOptions("critic", parts, scope),
      columns: { returns: batch.returns, oldValues: batch.values },
      miniBatchGroups: critic.ppo_mini_batch_size,
      epochs: critic.ppo_epochs,
      shuffle: critic.shuffle,
      shuffleSeed: critic.data_loader_seed,
      lossScaleFactor: null,
      maxTokensPerMicroBatch: critic.use_dynamic_bsz ? critic.ppo_max_token_len_per_gpu : null,
      microBatchSize: critic.ppo_micro_batch_size_per_gpu,
      skipZeroAdvantage: false,
      onMiniBatch: (done, total) => scope.onPhase("update critic", done, total),
    }),
  );
  scope.metrics.set(metrics);
}

async function updateActor(parts: PipelineParts, batch: TrainBatch, scope: StepScope): Promise<void> {
  const { actor } = parts.config.actor_rollout_ref;
  scope.onPhase("update");
  const { metrics, firstMiniBatch } = await scope.timers.time("update_actor", () =>
    updateModel(parts.actor, batch, parts.actorLoss, {
      ...commonOptions("actor", parts, scope),
      columns: {
        advantages: batch.advantages,
        oldLogProb: batch.oldLogProb ?? batch.rolloutLogProb,
        refLogProb: batch.refLogProb,
        rolloutIsWeights: batch.rolloutIsWeights,
      },
      miniBatchGroups: actor.ppo_mini_batch_size,
      epochs: actor.ppo_epochs,
      shuffle: actor.shuffle,
      shuffleSeed: actor.data_loader_seed,
      lossScaleFactor: actor.loss_scale_factor,
      maxTokensPerMicroBatch: actor.use_dynamic_bsz ? actor.ppo_max_token_len_per_gpu : null,
      microBatchSize: actor.ppo_micro_batch_size_per_gpu,
      skipZeroAdvantage: actor.skip_zero_advantage,
      onMiniBatch: (done, total) => scope.onPhase("update", done, total),
    }),
  );
  scope.metrics.set(metrics);
  if (batch.oldLogProb === null && firstMiniBatch.logProb) {
    scope.metrics.set(firstMiniBatchGap(batch, firstMiniBatch.rows, firstMiniBatch.logProb));
  }
  if (batch.sumPiSquared) scope.metrics.set(updateVariance(batch, metrics["actor/grad_norm"] ?? null));
}

/** Refuse what would train on nothing or on noise, and count what is left out. */
function checkRows(batch: TrainBatch, parts: PipelineParts, scope: StepScope): void {
  const { rows } = batch;
  if (rows.length === 0) {
    throw trainerErrors.VERL_TRAINER_NO_TRAINABLE({
      what: `step ${scope.globalStep} has no trajectory at all`,
      why: "every prompt group failed or was dropped",
      fix: "look for failed sessions among the warnings above, or let onSampleEnd keep more groups",
    });
  }
  const withoutLogProbs = rows.filter((row) => row.rolloutLogProbs === null).length;
  const withoutTokens = rows.filter((row) => !hasPolicyTokens(row)).length;
  const withoutScore = rows.filter((row) => row.score === null);
  const { baselines } = scope;
  if (baselines) {
    const without = rows.filter(({ uid }) => !baselines.has(uid)).length;
    scope.metrics.set({ "training/untrainable/no_baseline": without });
    if (without > 0) parts.logger.warn(`${without} trajectories have no greedy baseline and are left out`);
  }
  scope.metrics.set({
    "training/untrainable/no_log_probs": withoutLogProbs,
    "training/untrainable/no_score": withoutScore.length,
    "training/untrainable/no_tokens": withoutTokens,
  });
  if (!isTrainable(batch)) {
    const origin = withoutScore[0]?.origin || rows[0]?.origin;
    throw trainerErrors.VERL_TRAINER_NO_TRAINABLE({
      what: `none of the ${rows.length} trajectories of step ${scope.globalStep} can be trained on`,
      where: origin ? `first: ${origin}` : undefined,
      why: [
        `${withoutScore.length} have no score${withoutScore[0] ? ` (${withoutScore[0].rewardMessage ?? "abstained"})` : ""}`,
        `${withoutLogProbs} no log-probabilities`,
        `${withoutTokens} no token that the policy sampled`,
      ].join(", "),
      fix: "check the reward function, the prompts' room for a response, and the rollout's log-probabilities",
    });
  }
  if (withoutScore.length > 0) {
    const reason = withoutScore.find((row) => row.rewardMessage !== null)?.rewardMessage?.split("\n")[0];
    parts.logger.warn(
      `step ${scope.globalStep}: ${withoutScore.length} trajectories have no score and are left out, e.g. ${withoutScore[0].origin || withoutScore[0].key}${reason ? `: ${reason}` : ""}`,
    );
  }
  const scored = rows.filter((row) => row.score !== null);
  warnOfFailedRewards(scored, `step ${scope.globalStep}`, parts.logger);
  const { version } = parts.weights;
  const stale = rows.find((row) => row.minWeightVersion !== version || row.maxWeightVersion !== version);
  if (stale) {
    const { minWeightVersion: oldest, maxWeightVersion: newest } = stale;
    const versions = oldest === newest ? `version ${oldest}` : `versions ${oldest} to ${newest}`;
    throw trainerErrors.VERL_TRAINER_STALE_WEIGHTS({
      what: `trajectory ${stale.key} was sampled by weights of ${versions}, the run pushed ${version}`,
      where: `step ${scope.globalStep}`,
    });
  }
}

function firstMiniBatchGap(batch: TrainBatch, rows: readonly number[], logProb: Float32Array): Record<string, number> {
  const { responseOffsets, responseMask } = batch.sequences;
  const pick = (data: ArrayLike<number>) =>
    Float32Array.from(
      rows.flatMap((b) => Array.prototype.slice.call(data, responseOffsets[b], responseOffsets[b + 1])),
    );
  return gapMetrics(logProb, pick(batch.rolloutLogProb), pick(responseMask));
}
