/**
 * SimPO (2405.14734): no reference; average log-probabilities per token and a target margin γ.
 *
 *   −log σ(β·(avg_w − avg_l) − γ)      typical β 2.0, γ 0.5 … 1.6
 */
import type { LossFunction } from "../algebra.js";
import { negLogSigmoid, pairLoss, pairMean, partner, rewardMetrics, sequenceLogProb } from "./pair-terms.js";

export interface SimpoOptions {
  readonly beta: number;
  readonly gamma: number;
}

export function simpoLoss(options: SimpoOptions): LossFunction {
  return pairLoss("simpo", options, [], (g) => {
    const own_B = sequenceLogProb(g, g.output("logProb"), true);
    const margin = g.mul(g.constant(options.beta), g.sub(own_B, partner(g, own_B)));
    const loss = pairMean(g, negLogSigmoid(g, g.sub(margin, g.constant(options.gamma))));
    return { loss, metrics: rewardMetrics(g, own_B, options.beta) };
  });
}
