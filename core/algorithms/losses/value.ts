/**
 * The critic's loss (PPO, 1707.06347): squared error to the returns, pessimistic under a clip around the old values v.
 *
 *   clipped = max(min(V, v+ε), v−ε)    loss = ½ · agg(max((V−R)², (clipped−R)²))
 *
 * Metrics: critic/vf_clipfrac = mean[clipped error > unclipped error], critic/vpred_mean, critic/vf_loss.
 */
import type { LossAggMode } from "../advantage.js";
import { aggLoss } from "../agg-loss.js";
import type { LossFunction, MetricReduction } from "../algebra.js";
import { meanMetric } from "./policy-terms.js";

export interface ValueLossOptions {
  /** ε */
  readonly clipRange: number;
  readonly lossAggMode: LossAggMode;
  /** How `critic/vf_loss` combines; default "sum", see `actorLoss`. */
  readonly lossReduction?: MetricReduction;
}

export function valueLoss(options: ValueLossOptions): LossFunction {
  return {
    kind: "algebra",
    name: "value",
    scope: "token",
    outputs: ["values"],
    columns: ["returns", "oldValues"],
    key: `value:${JSON.stringify(options)}`,
    build(g) {
      const predicted = g.output("values");
      const old = g.column("oldValues");
      const returns = g.column("returns");
      const range = g.constant(options.clipRange);
      const clipped = g.maximum(g.minimum(predicted, g.add(old, range)), g.sub(old, range));
      const error = g.square(g.sub(predicted, returns));
      const clippedError = g.square(g.sub(clipped, returns));
      const loss = g.mul(g.constant(0.5), aggLoss(g, g.maximum(error, clippedError), options.lossAggMode));
      return {
        loss,
        metrics: {
          "critic/vf_loss": { value: loss, reduction: options.lossReduction ?? "sum" },
          "critic/vf_clipfrac": meanMetric(g, g.greater(clippedError, error)),
          "critic/vpred_mean": meanMetric(g, predicted),
        },
      };
    },
  };
}
