/**
 * ORPO (2403.07691): supervised fine-tuning on the chosen response plus an odds-ratio term, no reference. With a = average
 * log-probability per token, clamped to −1e-7 so that its odds are finite:
 *
 *   log odds = (a_w − a_l) − (log(1 − e^{a_w}) − log(1 − e^{a_l}))
 *   loss = mean(−a_w) + λ·mean(−log σ(log odds))      typical λ 0.1
 */
import type { LossFunction } from "../algebra.js";
import { negLogSigmoid, pairLoss, pairMean, pairMetric, partner, sequenceLogProb } from "./pair-terms.js";

export interface OrpoOptions {
  readonly lambda: number;
}

export function orpoLoss(options: OrpoOptions): LossFunction {
  return pairLoss("orpo", options, [], (g) => {
    const average_B = sequenceLogProb(g, g.output("logProb"), true);
    const bounded_B = g.minimum(average_B, g.constant(-1e-7));
    const logit_B = g.sub(bounded_B, g.log(g.sub(g.constant(1), g.exp(bounded_B))));
    const logOdds_B = g.sub(logit_B, partner(g, logit_B));
    const nll = g.neg(average_B);
    const oddsLoss = negLogSigmoid(g, logOdds_B);
    return {
      loss: g.add(pairMean(g, nll), g.mul(g.constant(options.lambda), pairMean(g, oddsLoss))),
      metrics: {
        nll_loss: pairMetric(g, nll),
        odds_ratio_loss: pairMetric(g, oddsLoss),
        log_odds: pairMetric(g, logOdds_B),
      },
    };
  });
}
