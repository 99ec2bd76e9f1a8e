/**
 * `vanilla`: PPO's clipped surrogate (1707.06347) with the dual clip for negative advantages (1912.09729).
 *
 *   r = exp(clip(d, ±20))   L₁ = −A·r   L₂ = −A·clip(r, 1−lo, 1+hi)   M = max(L₁, L₂)   L₃ = −A·c
 *   L = M for A ≥ 0,  min(L₃, M) for A < 0;   c = 3 unless `clip_ratio_c` is set
 *
 * Metrics: pg_clipfrac = mean[L₂ > L₁], pg_clipfrac_lower = mean[M > L₃ and A < 0], ppo_kl = mean(−d).
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossAlgebra, LossFunction, LossMetric, Value } from "../algebra.js";
import { errors } from "../errors.js";
import { both } from "../masked-algebra.js";
import { meanMetric, policyInputs, policyLoss, policyShare, safe } from "./policy-terms.js";

export function vanillaLoss(config: PolicyLossConfig): LossFunction {
  const { clipRatioLow: lo, clipRatioHigh: hi } = config;
  const c = config.clipRatioC ?? 3;
  if (!(c > 1)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `clip_ratio_c is ${c}`,
      why: "the dual clip needs a bound above 1",
    });
  }
  return policyLoss("vanilla", config, (g) => {
    const { advantages, difference } = policyInputs(g);
    const { loss_R, metrics } = clippedSurrogate(g, advantages, difference, { lo, hi, c }, "actor");
    return { loss: policyShare(g, loss_R, config), metrics };
  });
}

/** The matrix L and its metrics, for any advantages; `bounds` as in the header. */
export function clippedSurrogate(
  g: LossAlgebra,
  advantages_R: Value,
  difference_R: Value,
  bounds: { readonly lo: number; readonly hi: number; readonly c: number },
  prefix: string,
): { readonly loss_R: Value; readonly metrics: Record<string, LossMetric> } {
  const d = safe(g, difference_R);
  const ratio = g.exp(d);
  const cost = g.neg(advantages_R);
  const unclipped = g.mul(cost, ratio);
  const clipped = g.mul(cost, g.clamp(ratio, 1 - bounds.lo, 1 + bounds.hi));
  const pessimistic = g.maximum(unclipped, clipped);
  const bound = g.mul(cost, g.constant(bounds.c));
  const negative = g.greater(g.constant(0), advantages_R);
  return {
    loss_R: g.where(negative, g.minimum(bound, pessimistic), pessimistic),
    metrics: {
      [`${prefix}/pg_clipfrac`]: meanMetric(g, g.greater(clipped, unclipped)),
      [`${prefix}/ppo_kl`]: meanMetric(g, g.neg(d)),
      [`${prefix}/pg_clipfrac_lower`]: meanMetric(g, both(g, g.greater(pessimistic, bound), negative)),
    },
  };
}

export const vanilla: PolicyLossFactory = { name: "vanilla", create: vanillaLoss };
