/**
 * `dro`: direct reward optimisation (2405.19107), policy part: a policy gradient with a quadratic pull towards the old
 * policy instead of a clip. L = −(A·lp − β/2·d²), β = `policy_loss.dro_beta` > 0.
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossFunction } from "../algebra.js";
import { errors } from "../errors.js";
import { meanMetric, policyInputs, policyLoss, policyShare, setting } from "./policy-terms.js";

export function droLoss(config: PolicyLossConfig): LossFunction {
  const beta = setting(config, "dro_beta");
  if (!(beta > 0)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({ what: `dro_beta is ${beta}`, why: "it must be positive" });
  }
  return policyLoss("dro", config, (g) => {
    const { logProb, advantages, difference } = policyInputs(g);
    const pull = g.mul(g.constant(beta / 2), g.square(difference));
    const loss = g.neg(g.sub(g.mul(logProb, advantages), pull));
    return {
      loss: policyShare(g, loss, config),
      metrics: { "actor/ppo_kl": meanMetric(g, g.neg(difference)) },
    };
  });
}

export const dro: PolicyLossFactory = { name: "dro", create: droLoss };
