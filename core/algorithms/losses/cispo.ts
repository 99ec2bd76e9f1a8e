/**
 * `cispo`: clipped importance sampling weights (MiniMax-M1, 2506.13585). The weight is clipped, not the update, so every
 * token keeps a gradient: q = sg(clip(r, 1−lo, 1+hi)), L = −q·A·lp. Typical: lo 10 (no lower clip), hi 0.2.
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossFunction } from "../algebra.js";
import { meanMetric, policyInputs, policyLoss, policyShare, safe, zeroMetric } from "./policy-terms.js";

export function cispoLoss(config: PolicyLossConfig): LossFunction {
  return policyLoss("cispo", config, (g) => {
    const { logProb, advantages, difference } = policyInputs(g);
    const d = safe(g, difference);
    const ratio = g.stopGradient(g.exp(d));
    const weight = g.clamp(ratio, 1 - config.clipRatioLow, 1 + config.clipRatioHigh);
    const loss = g.neg(g.mul(g.mul(weight, advantages), logProb));
    return {
      loss: policyShare(g, loss, config),
      metrics: {
        "actor/pg_clipfrac": meanMetric(g, g.greater(g.abs(g.sub(ratio, weight)), g.constant(0))),
        "actor/ppo_kl": meanMetric(g, g.neg(d)),
        "actor/pg_clipfrac_lower": zeroMetric(g),
      },
    };
  });
}

export const cispo: PolicyLossFactory = { name: "cispo", create: cispoLoss };
