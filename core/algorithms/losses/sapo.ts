/**
 * `sapo`: soft adaptive policy optimisation (2511.20347). A sigmoid gate takes the place of the clip.
 *
 *   τ = tau_pos for A > 0, else tau_neg      L = −A · σ(τ(r − 1)) · 4/τ,   always seq-mean-token-mean
 *
 * The slope at r = 1 is that of the plain surrogate; far from it the gradient fades instead of stopping.
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossFunction } from "../algebra.js";
import { meanMetric, policyInputs, policyLoss, policyShare, safe, setting, zeroMetric } from "./policy-terms.js";

export function sapoLoss(config: PolicyLossConfig): LossFunction {
  const tauPositive = setting(config, "tau_pos", 1);
  const tauNegative = setting(config, "tau_neg", 1.05);
  return policyLoss("sapo", config, (g) => {
    const { advantages, difference } = policyInputs(g);
    const d = safe(g, difference);
    const positive = g.greater(advantages, g.constant(0));
    const tau = g.where(positive, g.constant(tauPositive), g.constant(tauNegative));
    const gate = g.sigmoid(g.mul(tau, g.sub(g.exp(d), g.constant(1))));
    const loss = g.neg(g.mul(advantages, g.mul(gate, g.div(g.constant(4), tau))));
    return {
      loss: policyShare(g, loss, config, "seq-mean-token-mean"),
      metrics: {
        "actor/pg_clipfrac": zeroMetric(g),
        "actor/ppo_kl": meanMetric(g, g.neg(d)),
        "actor/pg_clipfrac_lower": zeroMetric(g),
      },
    };
  });
}

export const sapo: PolicyLossFactory = { name: "sapo", create: sapoLoss };
