/** `gpg`: group policy gradient (2504.02546), the plain score-function estimator: L = −A·lp. Use with estimator `gpg`. */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossFunction } from "../algebra.js";
import { policyLoss, policyShare } from "./policy-terms.js";

export function gpgLoss(config: PolicyLossConfig): LossFunction {
  return policyLoss(
    "gpg",
    config,
    (g) => {
      const loss = g.neg(g.mul(g.column("advantages"), g.output("logProb")));
      return { loss: policyShare(g, loss, config), metrics: {} };
    },
    { columns: ["advantages"] },
  );
}

export const gpg: PolicyLossFactory = { name: "gpg", create: gpgLoss };
