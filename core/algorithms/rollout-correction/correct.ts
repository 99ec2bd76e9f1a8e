/**
 * Rollout correction: importance weights and rejection for the gap between the policy that sampled and the one that
 * trains (TIS, IcePop, masked and geometric importance sampling). Weights and rejection are independent; with both off
 * only the metrics are computed.
 *
 * Decoupled mode calls it once per step with the old policy and hands mask and weights on; bypass mode calls it with the
 * current policy inside the loss (`losses/bypass-mode.ts`).
 */
import { errors } from "../errors.js";
import { mapped, maskedSum } from "../masked.js";
import type { RolloutCorrectionConfig } from "./config.js";
import { offPolicyMetrics } from "./off-policy-metrics.js";
import { rejectionMask } from "./rejection.js";
import type { RolloutPair } from "./statistics.js";
import { importanceWeights } from "./weights.js";

export interface RolloutCorrection {
  /** [R], or null when weights are off. */
  readonly weights: Float64Array | null;
  /** The mask without rejected tokens, [R]. */
  readonly responseMask: Float64Array;
  /** Named `rollout_corr/…`. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Throws for a batch without any valid token: its statistics do not exist, and there is nothing to correct. */
export function correctRollout(pair: RolloutPair, config: RolloutCorrectionConfig): RolloutCorrection {
  const { logProb, rolloutLogProb, responseMask: mask, responseOffsets: offsets } = pair;
  if (logProb.length !== mask.length || rolloutLogProb.length !== mask.length) {
    throw errors.VERL_ALGORITHMS_SHAPE({
      what: `${logProb.length} trained and ${rolloutLogProb.length} rollout log-probabilities for ${mask.length} tokens`,
    });
  }
  if (maskedSum(mask, mask) === 0) {
    throw errors.VERL_ALGORITHMS_TOO_FEW_TOKENS({
      what: "rollout correction of a batch without any token that counts",
    });
  }
  const logRatio_R = mapped(mask, (m, r) => (m ? logProb[r] - rolloutLogProb[r] : 0));
  const weighted = config.rolloutIs === null ? null : importanceWeights(logRatio_R, mask, offsets, config);
  const rejected =
    config.rolloutRs === null
      ? null
      : rejectionMask(logRatio_R, mask, offsets, config.rolloutRs, config.rolloutRsThreshold);
  const metrics = { ...weighted?.metrics, ...rejected?.metrics, ...offPolicyMetrics(pair) };
  return {
    weights: weighted?.weights ?? null,
    responseMask: rejected?.responseMask ?? Float64Array.from(mask),
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`rollout_corr/${name}`, value])),
  };
}
