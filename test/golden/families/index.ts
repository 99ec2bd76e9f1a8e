import type { Family } from "../case.js";
import { gaeFamily, gdpoFamily, groupFamily, otbFamily, returnsFamily, trainerFamily } from "./advantages.js";
import { aggLossFamily } from "./agg-loss.js";
import { dapoFamily } from "./dapo.js";
import { distillationFamily } from "./distillation.js";
import { entropyLogprobFamily } from "./entropy-logprob.js";
import { klFamily } from "./kl.js";
import { lrScheduleFamily } from "./lr-schedule-optimizer.js";
import { maskedOpsFamily } from "./masked-ops.js";
import { metricsFamily } from "./metrics.js";
import { bypassFamily, policyLossFamily } from "./policy-loss.js";
import { preferenceFamily } from "./preference.js";
import { rewardScoreFamily } from "./reward-score.js";
import { rolloutCorrectionFamily } from "./rollout-correction.js";
import { seqlenBalancingFamily } from "./seqlen-balancing.js";
import { valMetricsFamily } from "./val-metrics.js";
import { valueLossFamily, workerLossesFamily } from "./value-worker-losses.js";

/** Every family of vectors that the project runs. */
export const families: Readonly<Record<string, Family>> = {
  advantages_gae: gaeFamily,
  advantages_gdpo: gdpoFamily,
  advantages_group: groupFamily,
  advantages_otb: otbFamily,
  advantages_returns: returnsFamily,
  advantages_trainer: trainerFamily,
  agg_loss: aggLossFamily,
  dapo: dapoFamily,
  distillation: distillationFamily,
  entropy_logprob: entropyLogprobFamily,
  kl: klFamily,
  lr_schedule_optimizer: lrScheduleFamily,
  masked_ops: maskedOpsFamily,
  policy_loss_bypass_mode: bypassFamily,
  policy_loss_vanilla: policyLossFamily("vanilla"),
  policy_loss_dppo_tv: policyLossFamily("dppo_tv"),
  policy_loss_dppo_kl: policyLossFamily("dppo_kl"),
  policy_loss_gspo: policyLossFamily("gspo"),
  policy_loss_sapo: policyLossFamily("sapo"),
  policy_loss_gpg: policyLossFamily("gpg"),
  policy_loss_clip_cov: policyLossFamily("clip_cov"),
  policy_loss_kl_cov: policyLossFamily("kl_cov"),
  policy_loss_geo_mean: policyLossFamily("geo_mean"),
  policy_loss_dro: policyLossFamily("dro"),
  policy_loss_cispo: policyLossFamily("cispo"),
  policy_loss_reinforce: policyLossFamily("reinforce"),
  preference: preferenceFamily,
  reward_score: rewardScoreFamily,
  rollout_correction: rolloutCorrectionFamily,
  metrics: metricsFamily,
  val_metrics: valMetricsFamily,
  seqlen_balancing: seqlenBalancingFamily,
  value_loss: valueLossFamily,
  worker_losses: workerLossesFamily,
};
