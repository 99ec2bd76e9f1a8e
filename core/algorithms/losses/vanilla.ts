/**
 * `vanilla`: PPO's clipped surrogate (1707.06347) with the dual clip for negative advantages (1912.09729).
 *
 *   r = exp(clip(d, ±20))   L₁ = −A·r   L₂ = −A·clip(r, 1−lo, 1+hi)   M = max(L₁, L₂)   L₃ = −A·c
 *   L = M for A ≥ 0,  min(L₃, M) for A < 0
 *
 * Metrics: pg_clipfrac = mean[L₂ > L₁], pg_clipfrac_lower = mean[M > L₃ and A < 0], ppo_kl = mean(−d).
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossFunction } from "../algebra.js";
import { errors } from "../errors.js";
import { both } from "../masked-algebra.js";
import { meanMetric, policyInputs, policyLoss, policyShare, safe } from "./policy-terms.js";

export function vanillaLoss(config: PolicyLossConfig): LossFunction {
  const { clipRatioLow: lo, clipRatioHigh: hi, clipRatioC: c } = config;
  if (!(c > 1)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `clip_ratio_c is ${c}`,
      why: "the dual clip needs a bound above 1",
    });
  }
  return policyLoss("vanilla", config, (g) => {
    const { advantages: a, difference } = policyInputs(g);
    const d = safe(g, difference);
    const ratio = g.exp(d);
    const cost = g.neg(a);
    const unclipped = g.mul(cost, ratio);
    const clipped = g.mul(cost, g.clamp(ratio, 1 - lo, 1 + hi));
    const pessimistic = g.maximum(unclipped, clipped);
    const bound = g.mul(cost, g.constant(c));
    const negative = g.greater(g.constant(0), a);
    return {
      loss: policyShare(g, g.where(negative, g.minimum(bound, pessimistic), pessimistic), config),
      metrics: {
        "actor/pg_clipfrac": meanMetric(g, g.greater(clipped, unclipped)),
        "actor/ppo_kl": meanMetric(g, g.neg(d)),
        "actor/pg_clipfrac_lower": meanMetric(g, both(g, g.greater(pessimistic, bound), negative)),
      },
    };
  });
}

export const vanilla: PolicyLossFactory = { name: "vanilla", create: vanillaLoss };
