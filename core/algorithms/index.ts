/** Public entry of the algorithms room: the loss algebra, losses, advantages, schedules and balancing. */
import type { AdvantageEstimator, PolicyLossFactory } from "./advantage.js";
import { gae } from "./advantages/gae.js";
import { gdpo } from "./advantages/gdpo.js";
import { gpgAdvantage } from "./advantages/gpg.js";
import { grpo, grpoVectorized } from "./advantages/grpo.js";
import { grpoPassk } from "./advantages/grpo-passk.js";
import { opo } from "./advantages/opo.js";
import { optimalTokenBaseline, tirOptimalTokenBaseline } from "./advantages/optimal-token-baseline.js";
import { reinforcePlusPlus, reinforcePlusPlusBaseline } from "./advantages/reinforce-plus-plus.js";
import { remax } from "./advantages/remax.js";
import { rloo, rlooVectorized } from "./advantages/rloo.js";
import { bypassMode } from "./losses/bypass-mode.js";
import { cispo } from "./losses/cispo.js";
import { clipCov } from "./losses/clip-cov.js";
import { dppoKl, dppoTv } from "./losses/dppo.js";
import { dro } from "./losses/dro.js";
import { geoMean } from "./losses/geo-mean.js";
import { gpg } from "./losses/gpg.js";
import { gspo } from "./losses/gspo.js";
import { klCov } from "./losses/kl-cov.js";
import { reinforce } from "./losses/reinforce.js";
import { sapo } from "./losses/sapo.js";
import { vanilla } from "./losses/vanilla.js";

export { type AdamWOptions, type AdamWState, adamwStep, createAdamWState } from "./adamw.js";
export type * from "./advantage.js";
export { ADVANTAGE_NEEDS } from "./advantage.js";
export { uniformGroups } from "./advantages/groups.js";
export { drawRows, pfPpoWeights, type ReweightMethod } from "./advantages/pf-ppo.js";
export { aggLoss, LOSS_AGG_MODES } from "./agg-loss.js";
export type * from "./algebra.js";
export { clipScale, gradNorm, squareSum } from "./clip-grad-norm.js";
export { combineMetrics } from "./combine-metrics.js";
export { countsOf } from "./counts.js";
export { GenerationBudget } from "./generation-budget.js";
export { balancedPartitions, greedyPartition, type PartitionOptions } from "./karmarkar-karp.js";
export { KL_PENALTIES, type KlPenaltyName, klPenalty, parseKlPenalty } from "./kl.js";
export {
  createKlController,
  type KlController,
  type KlControllerConfig,
  type KlControllerState,
} from "./kl-controller.js";
export { addRowGradient, logitStatistics, type RowStatistics, rowStatistics } from "./logits.js";
export { type LossProgram, recordLoss, replayLoss } from "./loss-program.js";
export { type ActorLossOptions, actorLoss } from "./losses/actor.js";
export { type DistillationOptions, distillationLoss, distillationTotalLoss } from "./losses/distillation.js";
export { DPO_LOSS_TYPES, type DpoOptions, dpoLoss } from "./losses/dpo.js";
export { type KtoOptions, ktoBaseline, ktoLoss } from "./losses/kto.js";
export { type OrpoOptions, orpoLoss } from "./losses/orpo.js";
export { type RewardModelOptions, rewardModelLoss } from "./losses/reward-model.js";
export { sftLoss } from "./losses/sft.js";
export { type SimpoOptions, simpoLoss } from "./losses/simpo.js";
export type { TopkOptions } from "./losses/topk-distillation.js";
export { type ValueLossOptions, valueLoss } from "./losses/value.js";
export { type LrSchedule, lrMultiplier } from "./lr-schedule.js";
export { maskedMean, maskedSum, maskedVar, maskedWhiten, rowMeans, rowSums } from "./masked.js";
export { inverseOrder, type MicroBatchOptions, planMicroBatches, restoreOrder } from "./micro-batches.js";
export { type OverlongBuffer, overlongPenalty } from "./overlong-penalty.js";
export { type PreferencePair, pairOf } from "./preference-pairs.js";
export { applyKlPenalty, type KlRewardInput, type KlRewardOutput, placeOutcomes } from "./rewards-kl.js";
export { type RolloutCorrectionConfig, rolloutCorrectionConfig } from "./rollout-correction/config.js";
export { rolloutCorrectionRule } from "./rollout-correction/config-rule.js";
export { correctRollout, type RolloutCorrection } from "./rollout-correction/correct.js";
export { probabilityDrift } from "./rollout-correction/off-policy-metrics.js";
export { ROLLOUT_CORRECTION_PRESETS, rolloutCorrectionPreset } from "./rollout-correction/presets.js";
export { balanceRanks, balanceRanksByGroup, sequenceWorkload, unbalanceReport } from "./seqlen-balancing.js";
export { differentiate, evaluateLoss, type TapeResult } from "./tape.js";

/** The estimators that the host registers, by `algorithm.adv_estimator`. */
export const builtinAdvantageEstimators: readonly AdvantageEstimator[] = [
  gae,
  grpo,
  grpoVectorized,
  grpoPassk,
  reinforcePlusPlus,
  reinforcePlusPlusBaseline,
  remax,
  rloo,
  rlooVectorized,
  opo,
  gpgAdvantage,
  gdpo,
  optimalTokenBaseline,
  tirOptimalTokenBaseline,
];

/** The policy losses that the host registers, by `actor.policy_loss.loss_mode`. */
export const builtinPolicyLosses: readonly PolicyLossFactory[] = [
  vanilla,
  gspo,
  sapo,
  gpg,
  clipCov,
  klCov,
  geoMean,
  dro,
  cispo,
  dppoTv,
  dppoKl,
  bypassMode,
  reinforce,
];
