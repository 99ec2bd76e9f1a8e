import { type AdvantageInput, applyKlPenalty, type OutputName, uniformGroups } from "../algorithms/index.js";
import type { BatchOptions, ModelOutputs } from "../engine/engine.js";
import { updateActor } from "./actor-update.js";
import { trainerErrors } from "./errors.js";
import type { StepMetrics } from "./run-context.js";
import type { RunParts } from "./run-parts.js";
import { gapMetrics } from "./sampler-gap.js";
import type { StepTimers } from "./timing.js";
import { makeTrainBatch, type TrainBatch } from "./train-batch.js";
import type { TrainingRow } from "./training-row.js";

export interface StepScope {
  readonly globalStep: number;
  readonly metrics: StepMetrics;
  readonly timers: StepTimers;
  readonly signal: AbortSignal;
  onPhase(phase: string, done?: number, total?: number): void;
}

/**
 * What happens to a step's trajectories, in the reference's order: old log-probabilities, reference log-probabilities,
 * KL in the reward, advantages, actor update.
 */
export async function runPipeline(
  parts: RunParts,
  rows: readonly TrainingRow[],
  scope: StepScope,
): Promise<TrainBatch> {
  const { config } = parts;
  const rollout = config.actor_rollout_ref.rollout;
  const batch = makeTrainBatch(rows, rollout.temperature > 0 && rollout.do_sample ? rollout.temperature : 1);
  checkRows(batch, parts, scope);
  const bypass = config.algorithm.rollout_correction.bypass_mode;

  if (!bypass) {
    scope.onPhase("old log-probs");
    await scope.timers.time("old_log_prob", async () => {
      const outputs = await inferWith(parts, "actor", batch, ["logProb", "entropy"], scope.signal);
      batch.oldLogProb = require(outputs, "logProb");
      batch.entropy = require(outputs, "entropy");
    });
    scope.metrics.set(gapMetrics(batch.oldLogProb!, batch.rolloutLogProb, batch.sequences.responseMask));
    scope.metrics.set({ "actor/entropy": maskedAverage(batch.entropy!, batch.sequences.responseMask) });
  }
  if (parts.reference) {
    scope.onPhase("reference log-probs");
    await scope.timers.time("ref", async () => {
      batch.refLogProb = require(await inferWith(parts, "reference", batch, ["logProb"], scope.signal), "logProb");
    });
  }
  await scope.timers.time("adv", async () => computeAdvantages(parts, batch, scope));

  if (config.trainer.critic_warmup <= scope.globalStep) {
    scope.onPhase("update");
    const actor = config.actor_rollout_ref.actor;
    const update = await scope.timers.time("update_actor", () =>
      updateActor(parts.actor, batch, parts.actorLoss, {
        step: scope.globalStep,
        miniBatchGroups: actor.ppo_mini_batch_size,
        epochs: actor.ppo_epochs,
        shuffle: actor.shuffle,
        shuffleSeed: actor.data_loader_seed,
        lossScaleFactor: actor.loss_scale_factor,
        maxTokensPerMicroBatch: actor.use_dynamic_bsz ? actor.ppo_max_token_len_per_gpu : null,
        microBatchSize: actor.ppo_micro_batch_size_per_gpu,
        signal: scope.signal,
        onMiniBatch: (done, total) => scope.onPhase("update", done, total),
      }),
    );
    scope.metrics.set(update.metrics);
    if (bypass && update.firstMiniBatch.logProb) {
      scope.metrics.set(firstMiniBatchGap(batch, update.firstMiniBatch.rows, update.firstMiniBatch.logProb));
    }
  }
  return batch;
}

/** Refuse what would train on nothing or on noise, and count what is left out. */
function checkRows(batch: TrainBatch, parts: RunParts, scope: StepScope): void {
  const { rows } = batch;
  const withoutLogProbs = rows.filter((row) => row.rolloutLogProbs === null).length;
  const withoutScore = rows.filter((row) => row.score === null);
  scope.metrics.set({
    "training/untrainable/no_log_probs": withoutLogProbs,
    "training/untrainable/no_score": withoutScore.length,
  });
  if (batch.eligible.every((flag) => flag === 0)) {
    const origin = withoutScore[0]?.origin;
    throw trainerErrors.VERL_TRAINER_NO_TRAINABLE({
      what: `none of the ${rows.length} trajectories of step ${scope.globalStep} can be trained on`,
      where: origin ? `first: ${origin}` : undefined,
      why: `${withoutLogProbs} have no log-probabilities, ${withoutScore.length} have no score (${withoutScore[0]?.rewardMessage ?? "abstained"})`,
      fix: "check the reward function and the rollout's log-probabilities",
    });
  }
  if (withoutScore.length > 0) {
    parts.logger.warn(
      `step ${scope.globalStep}: ${withoutScore.length} trajectories have no score and are left out, e.g. ${withoutScore[0].origin || withoutScore[0].key}`,
    );
  }
  const stale = rows.find((row) => row.minWeightVersion !== parts.weights.version);
  if (stale) {
    throw trainerErrors.VERL_TRAINER_STALE_WEIGHTS({
      what: `trajectory ${stale.key} was sampled by weights of version ${stale.minWeightVersion}, the run pushed ${parts.weights.version}`,
      where: `step ${scope.globalStep}`,
    });
  }
}

function computeAdvantages(parts: RunParts, batch: TrainBatch, scope: StepScope): void {
  const { algorithm } = parts.config;
  if (algorithm.use_kl_in_reward) {
    const penalised = applyKlPenalty(
      {
        tokenLevelScores: batch.tokenLevelScores,
        oldLogProb: batch.oldLogProb ?? batch.rolloutLogProb,
        refLogProb: batch.refLogProb!,
        responseMask: batch.sequences.responseMask,
        responseOffsets: batch.sequences.responseOffsets,
      },
      parts.klController,
      algorithm.kl_penalty,
    );
    batch.tokenLevelRewards = penalised.tokenLevelRewards;
    scope.metrics.set(penalised.metrics);
  }
  const input: AdvantageInput = {
    responseOffsets: batch.sequences.responseOffsets,
    responseMask: batch.sequences.responseMask,
    tokenLevelRewards: batch.tokenLevelRewards,
    groupIds: batch.rows.map((row) => row.uid),
    keys: batch.rows.map((row) => row.key),
    eligible: batch.eligible,
    oldLogProb: batch.oldLogProb ?? batch.rolloutLogProb,
  };
  const result = parts.estimator.compute(input, {
    gamma: algorithm.gamma,
    lam: algorithm.lam,
    normAdvByStd: algorithm.norm_adv_by_std_in_grpo,
    extra: algorithm as Readonly<Record<string, unknown>>,
  });
  batch.advantages = result.advantages;
  batch.returns = result.returns;
  const { uniform } = uniformGroups({ ...input, tokenLevelRewards: batch.tokenLevelScores });
  scope.metrics.set({ "training/uniform_groups": uniform });
}

async function inferWith(
  parts: RunParts,
  which: "actor" | "reference",
  batch: TrainBatch,
  outputs: readonly OutputName[],
  signal: AbortSignal,
): Promise<ModelOutputs> {
  const { rollout, ref } = parts.config.actor_rollout_ref;
  const limits = which === "actor" ? rollout : ref;
  const engine = which === "actor" ? parts.actor : parts.reference!;
  const options: BatchOptions = {
    signal,
    ...(limits.log_prob_use_dynamic_bsz
      ? { maxTokensPerMicroBatch: limits.log_prob_max_token_len_per_gpu }
      : limits.log_prob_micro_batch_size_per_gpu
        ? { microBatchSize: limits.log_prob_micro_batch_size_per_gpu }
        : {}),
  };
  const mode = await engine.evalMode();
  try {
    return await engine.inferBatch(batch.sequences, outputs, options);
  } finally {
    await mode[Symbol.asyncDispose]();
  }
}

function require(outputs: ModelOutputs, name: OutputName): Float32Array {
  const values = outputs[name];
  if (!values) {
    throw trainerErrors.VERL_TRAINER_ENGINE_UNFIT({
      what: `the engine did not return ${name}`,
      fix: "report it to the engine's author",
    });
  }
  return values;
}

function firstMiniBatchGap(batch: TrainBatch, rows: readonly number[], logProb: Float32Array): Record<string, number> {
  const { responseOffsets, responseMask } = batch.sequences;
  const pick = (data: ArrayLike<number>) =>
    Float32Array.from(
      rows.flatMap((b) => Array.prototype.slice.call(data, responseOffsets[b], responseOffsets[b + 1])),
    );
  return gapMetrics(logProb, pick(batch.rolloutLogProb), pick(responseMask));
}

function maskedAverage(values: ArrayLike<number>, mask: ArrayLike<number>): number {
  let [sum, n] = [0, 0];
  for (let r = 0; r < values.length; r++) {
    if (mask[r] === 0) continue;
    sum += values[r];
    n++;
  }
  return n === 0 ? 0 : sum / n;
}
