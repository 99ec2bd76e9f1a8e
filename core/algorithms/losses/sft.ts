/**
 * Supervised fine-tuning: negative log-likelihood of the tokens that count, −Σ m·logProb / N over the global batch.
 * Every token weighs the same; there is no averaging per sequence. The mask is the batch's response mask.
 */
import type { LossAggMode } from "../advantage.js";
import { aggLoss } from "../agg-loss.js";
import type { LossFunction } from "../algebra.js";

export function sftLoss(lossAggMode: LossAggMode = "token-mean"): LossFunction {
  return {
    kind: "algebra",
    name: "sft",
    scope: "token",
    outputs: ["logProb"],
    columns: [],
    key: `sft:${lossAggMode}`,
    build: (g) => ({ loss: aggLoss(g, g.neg(g.output("logProb")), lossAggMode), metrics: {} }),
  };
}
