/**
 * KTO (2402.01306): single responses, each desirable or not, against a baseline z₀. With x = log π − log π_ref:
 *
 *   desirable λ_D·(1 − σ(β(x − z₀)))      undesirable λ_U·(1 − σ(β(z₀ − x)))
 *   z₀ = max(0, mean(x')) over mismatched prompt–response pairs of the batch, no gradient
 *
 * z₀ comes from a forward pass of its own and arrives as the column `klBaseline` [B], the same on every row; 0 where
 * there are no mismatched pairs. Keep λ_D·n_D / (λ_U·n_U) within 1 … 4/3.
 */
import type { LossFunction } from "../algebra.js";
import { denominator } from "../masked-algebra.js";
import { logRatio } from "./pair-terms.js";

export interface KtoOptions {
  readonly beta: number;
  /** λ_D */
  readonly desirableWeight: number;
  /** λ_U */
  readonly undesirableWeight: number;
}

export function ktoLoss(options: KtoOptions): LossFunction {
  return {
    kind: "algebra",
    name: "kto",
    scope: "sequence",
    outputs: ["logProb"],
    columns: ["refLogProb", "desirable", "klBaseline"],
    key: `kto:${JSON.stringify(options)}`,
    build(g) {
      const own_B = logRatio(g);
      const baseline_B = g.column("klBaseline");
      const desirable_B = g.column("desirable");
      const sign_B = g.where(desirable_B, g.constant(1), g.constant(-1));
      const weight_B = g.where(desirable_B, g.constant(options.desirableWeight), g.constant(options.undesirableWeight));
      const advantage_B = g.mul(sign_B, g.sub(own_B, baseline_B));
      const value_B = g.sigmoid(g.mul(g.constant(options.beta), advantage_B));
      const loss_B = g.mul(weight_B, g.sub(g.constant(1), value_B));
      const rows = denominator(g, g.count("globalBatchSize"));
      const mean = (of: typeof loss_B) => g.div(g.mul(g.count("dpSize"), g.sum(of)), rows);
      return { loss: mean(loss_B), metrics: { kl: { value: mean(baseline_B), reduction: "sum" } } };
    },
  };
}

/** z₀ from summed log-probabilities of mismatched pairs; 0 for none. */
export function ktoBaseline(policy: ArrayLike<number>, reference: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < policy.length; i++) sum += policy[i] - reference[i];
  return policy.length > 0 ? Math.max(0, sum / policy.length) : 0;
}
