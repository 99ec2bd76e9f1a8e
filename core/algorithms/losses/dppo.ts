/**
 * `dppo_tv`, `dppo_kl`: divergence proximal policy optimisation (2602.04879). Tokens whose update would leave a trust
 * region are dropped; `clip_ratio_low/high` are divergence thresholds here. With π = e^lp, μ = e^old:
 *
 *   L = −A · sg(min(r, c)) · lp · valid
 *   tv   A > 0: π − μ ≤ hi             else: π − μ ≥ −lo
 *   kl   A > 0: κ ≤ hi or π ≤ μ        else: κ ≤ lo or π ≥ μ
 *        κ = μ(old − lp) + (1−μ)·log((1−μ+1e-8)/(1−π+1e-8)),  the KL of "this token or another"
 *
 * Typical: tv 0.15, kl 0.05. c is 20, as in the paper, unless `clip_ratio_c` is set. (In the reference it never is 20: its
 * configuration always carries the dual clip's 3.)
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossAlgebra, LossFunction, Value } from "../algebra.js";
import { both } from "../masked-algebra.js";
import { meanMetric, type PolicyInputs, policyInputs, policyLoss, policyShare, safe } from "./policy-terms.js";

type TrustRegion = (g: LossAlgebra, inputs: PolicyInputs, config: PolicyLossConfig) => Value;

function dppoLoss(name: string, config: PolicyLossConfig, trustRegion: TrustRegion): LossFunction {
  return policyLoss(name, config, (g) => {
    const inputs = policyInputs(g);
    const d = safe(g, inputs.difference);
    const ratio = g.exp(d);
    const bound = g.constant(config.clipRatioC ?? 20);
    const weight = g.stopGradient(g.minimum(ratio, bound));
    const valid = trustRegion(g, inputs, config);
    const loss = g.neg(g.mul(g.mul(inputs.advantages, weight), g.mul(inputs.logProb, valid)));
    return {
      loss: policyShare(g, loss, config),
      metrics: {
        "actor/pg_clipfrac": meanMetric(g, g.sub(g.constant(1), valid)),
        "actor/ppo_kl": meanMetric(g, g.neg(d)),
        "actor/pg_clipfrac_lower": meanMetric(g, both(g, g.greater(ratio, bound), valid)),
      },
    };
  });
}

const totalVariation: TrustRegion = (g, { logProb, oldLogProb, advantages }, config) => {
  const change = g.stopGradient(g.sub(g.exp(logProb), g.exp(oldLogProb)));
  return g.where(
    g.greater(advantages, g.constant(0)),
    g.greaterEqual(g.constant(config.clipRatioHigh), change),
    g.greaterEqual(change, g.constant(-config.clipRatioLow)),
  );
};

const binaryKl: TrustRegion = (g, { logProb, oldLogProb, advantages, difference }, config) => {
  const [one, tiny] = [g.constant(1), g.constant(1e-8)];
  const pi = g.stopGradient(g.exp(logProb));
  const mu = g.exp(oldLogProb);
  const others = (p: Value) => g.add(g.sub(one, p), tiny);
  const kl = g.add(
    g.mul(mu, g.neg(g.stopGradient(difference))),
    g.mul(g.sub(one, mu), g.log(g.div(others(mu), others(pi)))),
  );
  const within = (threshold: number, harmless: Value) =>
    g.where(harmless, one, g.greaterEqual(g.constant(threshold), kl));
  return g.where(
    g.greater(advantages, g.constant(0)),
    within(config.clipRatioHigh, g.greaterEqual(mu, pi)),
    within(config.clipRatioLow, g.greaterEqual(pi, mu)),
  );
};

export const dppoTv: PolicyLossFactory = {
  name: "dppo_tv",
  create: (config) => dppoLoss("dppo_tv", config, totalVariation),
};

export const dppoKl: PolicyLossFactory = {
  name: "dppo_kl",
  create: (config) => dppoLoss("dppo_kl", config, binaryKl),
};
