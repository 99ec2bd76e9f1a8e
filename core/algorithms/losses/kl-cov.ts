/**
 * `kl_cov`: KL penalty on the tokens of largest covariance (2505.22617).
 *
 *   L = −A·exp(d) + ppo_kl_coef·|d| on the max(1, ⌊kl_cov_ratio · valid tokens⌋) tokens of largest covariance
 *
 * No clipping at all. Covariance and selection are those of the mini-batch. The one metric, ppo_kl, is mean |d|.
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossInput, OpaqueLoss } from "../algebra.js";
import { kthLargest } from "../kth-largest.js";
import { positiveRatio, selectionSize, selectiveLoss, tokenCovariance } from "./covariance.js";
import { finiteExp, meanMetric, policyInputs, policyShare, setting } from "./policy-terms.js";

export function klCovLoss(config: PolicyLossConfig): OpaqueLoss {
  const ratio = positiveRatio("kl_cov_ratio", setting(config, "kl_cov_ratio", 0.0002));
  const coefficient = config.extra.ppo_kl_coef === null ? 1 : setting(config, "ppo_kl_coef", 0.1);
  return selectiveLoss(
    "kl_cov",
    (input) => largestCovariances(input, ratio),
    (g) => {
      const { advantages, difference } = policyInputs(g);
      const distance = g.abs(difference);
      const plain = g.neg(g.mul(advantages, finiteExp(g, difference)));
      const penalised = g.add(plain, g.mul(g.constant(coefficient), distance));
      return {
        loss: policyShare(g, g.where(g.column("selected"), penalised, plain), config),
        metrics: { "actor/ppo_kl": meanMetric(g, distance) },
      };
    },
  );
}

/** 1 on the valid tokens of largest covariance, ties to the first, [R]. */
export function largestCovariances(input: LossInput, ratio: number): Float64Array {
  const { responseMask: mask } = input;
  const covariance_R = tokenCovariance(input);
  const selected = new Float64Array(mask.length);
  const count = selectionSize(input, ratio);
  const threshold = kthLargest(
    covariance_R.filter((_, r) => mask[r]),
    count,
  );
  // Whatever lies above, and of what lies at the threshold the first.
  let left = count;
  for (let r = 0; r < mask.length; r++) {
    if (mask[r] && covariance_R[r] > threshold) [selected[r], left] = [1, left - 1];
  }
  for (let r = 0; r < mask.length && left > 0; r++) {
    if (mask[r] && covariance_R[r] === threshold) [selected[r], left] = [1, left - 1];
  }
  return selected;
}

export const klCov: PolicyLossFactory = { name: "kl_cov", create: klCovLoss };
