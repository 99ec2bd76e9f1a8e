/**
 * `reinforce`: the plain policy gradient with importance weights as constants, L = −A·lp·ω. No clipping. The old policy
 * is the one that sampled; its one metric, ppo_kl, is mean(roll − lp).
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossFunction } from "../algebra.js";
import { meanMetric, policyInputs, policyLoss, policyShare } from "./policy-terms.js";

export function reinforceLoss(config: PolicyLossConfig): LossFunction {
  return policyLoss("reinforce", config, (g) => {
    const { logProb, advantages, difference } = policyInputs(g);
    return {
      loss: policyShare(g, g.neg(g.mul(advantages, logProb)), config),
      metrics: { "actor/ppo_kl": meanMetric(g, g.neg(difference)) },
    };
  });
}

export const reinforce: PolicyLossFactory = { name: "reinforce", create: reinforceLoss };
