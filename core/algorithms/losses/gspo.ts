/**
 * `gspo`: group sequence policy optimisation (2507.18071). The ratio is that of the whole sequence, length-normalised;
 * its gradient flows through each token's own log-probability.
 *
 *   s_i = Σ d m / n_i      q = exp(min(lp − sg(lp) + sg(s_i), 10))
 *   L = max(−A·q, −A·clip(q, 1−lo, 1+hi)),   always seq-mean-token-mean
 *
 * Typical bounds are small: lo 3e-4, hi 4e-4.
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossFunction } from "../algebra.js";
import { rowMean } from "../masked-algebra.js";
import { meanMetric, policyInputs, policyLoss, policyShare, zeroMetric } from "./policy-terms.js";

export function gspoLoss(config: PolicyLossConfig): LossFunction {
  return policyLoss(
    "gspo",
    config,
    (g) => {
      const { logProb, advantages, difference } = policyInputs(g);
      const sequence_B = g.stopGradient(rowMean(g, difference));
      const carried = g.add(g.sub(logProb, g.stopGradient(logProb)), sequence_B);
      const ratio = g.exp(g.minimum(carried, g.constant(10)));
      const cost = g.neg(advantages);
      const unclipped = g.mul(cost, ratio);
      const clipped = g.mul(cost, g.clamp(ratio, 1 - config.clipRatioLow, 1 + config.clipRatioHigh));
      return {
        loss: policyShare(g, g.maximum(unclipped, clipped), config, "seq-mean-token-mean"),
        metrics: {
          "actor/pg_clipfrac": meanMetric(g, g.greater(clipped, unclipped)),
          "actor/ppo_kl": meanMetric(g, g.neg(difference)),
          "actor/pg_clipfrac_lower": zeroMetric(g),
        },
      };
    },
    { scope: "sequence" },
  );
}

export const gspo: PolicyLossFactory = { name: "gspo", create: gspoLoss };
