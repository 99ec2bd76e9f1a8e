/**
 * `geo_mean`: geometric-mean policy optimisation (GMPO, 2507.20673). The surrogate is the geometric mean of the tokens'
 * ratios, each clipped in log space on the side that its advantage pushes to.
 *
 *   dm = clip(d, −lo, hi)      u = sgn(A)·min(sgn(A)·d, sgn(A)·dm)
 *   ρ_i = exp(mean_i u)        L_i = −mean_i(A) · ρ_i · exp(mean_i log(ω + 1e-10))
 *   loss = D/G · Σ_i L_i       G = global number of sequences
 *
 * For A > 0 only the upper bound bites, for A < 0 only the lower. Typical lo = hi = 0.4. The configured aggregation does
 * not apply. `geo_mean_average: rows` is the reference's for one micro-batch: the mean over all rows at hand, empty ones
 * included, whatever the global counts are. (There, it is taken per micro-batch, so that the loss depends on the split.)
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossAlgebra, LossFunction, Value } from "../algebra.js";
import { errors } from "../errors.js";
import { both, denominator, rowMean } from "../masked-algebra.js";
import { finiteExp, meanMetric, policyInputs, policyLoss } from "./policy-terms.js";

export function geoMeanLoss(config: PolicyLossConfig): LossFunction {
  const average = AVERAGES[(config.extra.geo_mean_average as keyof typeof AVERAGES | undefined) ?? "global"];
  if (!average) {
    throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
      what: `geo_mean_average is ${JSON.stringify(config.extra.geo_mean_average)}`,
      why: `known: ${Object.keys(AVERAGES).join(", ")}`,
    });
  }
  return policyLoss(
    "geo_mean",
    config,
    (g) => {
      const { advantages, difference } = policyInputs(g);
      const zero = g.constant(0);
      const positive = g.greater(advantages, zero);
      const negative = g.greater(zero, advantages);
      const clipped = g.clamp(difference, -config.clipRatioLow, config.clipRatioHigh);
      const pessimistic = g.where(
        positive,
        g.minimum(difference, clipped),
        g.where(negative, g.maximum(difference, clipped), zero),
      );
      const ratio_B = finiteExp(g, rowMean(g, pessimistic));
      let loss_B = g.neg(g.mul(rowMean(g, advantages), ratio_B));
      if (config.hasRolloutIsWeights) {
        const logWeight = g.log(g.add(g.column("rolloutIsWeights"), g.constant(1e-10)));
        loss_B = g.mul(loss_B, g.exp(rowMean(g, logWeight)));
      }
      const moved = g.greater(g.abs(g.sub(difference, clipped)), zero);
      return {
        loss: average(g, loss_B),
        metrics: {
          "actor/pg_clipfrac": meanMetric(g, both(g, moved, positive)),
          "actor/ppo_kl": meanMetric(g, g.neg(difference)),
          "actor/pg_clipfrac_lower": meanMetric(g, both(g, moved, negative)),
        },
      };
    },
    { scope: average === AVERAGES.rows ? "miniBatch" : "sequence" },
  );
}

const AVERAGES = {
  global: (g: LossAlgebra, loss_B: Value) =>
    g.div(g.mul(g.count("dpSize"), g.sum(loss_B)), denominator(g, g.count("globalBatchSize"))),
  rows: (g: LossAlgebra, loss_B: Value) => g.div(g.sum(loss_B), g.sum(rowsOf(g, loss_B))),
};

/** 1 for every row, [B]. */
function rowsOf(g: LossAlgebra, value_B: Value): Value {
  return g.where(g.constant(0), value_B, g.constant(1));
}

export const geoMean: PolicyLossFactory = { name: "geo_mean", create: geoMeanLoss };
