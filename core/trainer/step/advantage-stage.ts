import { type AdvantageInput, applyKlPenalty, uniformGroups } from "../../algorithms/index.js";
import { isVerlError } from "../../host/errors.js";
import type { StepMetrics } from "../run-context.js";
import type { PipelineParts } from "../run-parts.js";
import { estimateAdvantages } from "./estimate-advantages.js";
import { excludeAll, type TrainBatch } from "./train-batch.js";
import type { TrainingRow } from "./training-row.js";

/**
 * KL in the reward where it is asked for, then advantages and returns by the configured estimator. A step with fewer tokens
 * than its statistics need is not trained on.
 */
export function computeAdvantages(parts: PipelineParts, batch: TrainBatch, metrics: StepMetrics): void {
  const { algorithm } = parts.config;
  const { responseOffsets, responseMask } = batch.sequences;
  const oldLogProb = batch.oldLogProb ?? batch.rolloutLogProb;
  if (algorithm.use_kl_in_reward) {
    const { tokenLevelScores, refLogProb } = batch;
    const penalised = applyKlPenalty(
      { tokenLevelScores, oldLogProb, refLogProb: refLogProb!, responseMask, responseOffsets },
      parts.klController,
      algorithm.kl_penalty,
    );
    batch.tokenLevelRewards = penalised.tokenLevelRewards;
    metrics.set(penalised.metrics);
  }
  const input: AdvantageInput = {
    responseOffsets,
    responseMask,
    tokenLevelRewards: batch.tokenLevelRewards,
    groupIds: batch.rows.map((row) => row.uid),
    keys: batch.rows.map((row) => row.key),
    eligible: batch.eligible,
    oldLogProb,
    ...(batch.values ? { values: batch.values } : {}),
    ...(batch.sumPiSquared ? { sumPiSquared: batch.sumPiSquared } : {}),
    ...(batch.rewardBaselines ? { rewardBaselines: batch.rewardBaselines } : {}),
    ...(batch.rolloutIsWeights ? { rolloutIsWeights: batch.rolloutIsWeights } : {}),
    ...(parts.estimator.needs.includes("rewardComponents") ? { rewardComponents: componentsOf(batch.rows) } : {}),
  };
  try {
    const result = estimateAdvantages(parts.estimator, input, {
      gamma: algorithm.gamma,
      lam: algorithm.lam,
      normAdvByStd: algorithm.norm_adv_by_std_in_grpo,
      extra: algorithm as Readonly<Record<string, unknown>>,
    });
    batch.advantages = result.advantages;
    batch.returns = result.returns;
  } catch (error) {
    if (!isVerlError(error) || error.code !== "VERL_ALGORITHMS_TOO_FEW_TOKENS") throw error;
    parts.logger.warn(`${parts.estimator.name} cannot be computed, nothing is updated: ${error.what}`);
    excludeAll(batch);
  }
  const { uniform } = uniformGroups({ ...input, tokenLevelRewards: batch.tokenLevelScores });
  metrics.set({ "training/uniform_groups": uniform });
}

/** Numbers among the reward's extra values, by name; a row without one counts as 0 there, [B] each. */
function componentsOf(rows: readonly TrainingRow[]): Record<string, Float64Array> {
  const names = new Set(rows.flatMap(({ rewardExtra }) => Object.keys(rewardExtra)));
  const number = (value: unknown) => (typeof value === "boolean" ? Number(value) : value);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const values = rows.map((row) => number(row.rewardExtra[name] ?? 0));
      return values.every((value) => typeof value === "number") ? [[name, Float64Array.from(values)]] : [];
    }),
  );
}
