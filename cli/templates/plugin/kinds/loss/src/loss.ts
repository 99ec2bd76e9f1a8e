import { type PolicyLossFactory, policyInputs, policyLoss, policyShare } from "verl-ts/plugin";

/** The plain policy gradient, L = −A·log p. `g` is an algebra: the engine may run it inside its own graph. */
export const loss: PolicyLossFactory = {
  name: "__SHORT__",
  create: (config) =>
    policyLoss("__SHORT__", config, (g) => {
      const { logProb, advantages } = policyInputs(g);
      return { loss: policyShare(g, g.neg(g.mul(advantages, logProb)), config), metrics: {} };
    }),
};
