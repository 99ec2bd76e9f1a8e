/**
 * Bradley–Terry reward model (Ouyang et al., 2203.02155): −log σ(s_w − s_l − margin) + c·(s_w + s_l)².
 *
 * s is the score of a whole sequence, by a model with a classification head of one label. A margin per pair (Llama 2,
 * 2307.09288) comes from the column `margin` [B], right on the chosen row.
 */
import type { LossFunction } from "../algebra.js";
import { negLogSigmoid, pairLoss, pairMean, pairMetric, partner } from "./pair-terms.js";

export interface RewardModelOptions {
  /** A number for all pairs, or the column. */
  readonly margin: number | "column";
  /** c: keeps scores around 0. */
  readonly centerCoefficient: number;
}

export function rewardModelLoss(options: RewardModelOptions): LossFunction {
  const { margin, centerCoefficient } = options;
  return pairLoss(
    "reward_model_bt",
    options,
    margin === "column" ? ["margin"] : [],
    (g) => {
      const own_B = g.output("scores");
      const other_B = partner(g, own_B);
      const lead = g.sub(own_B, other_B);
      const asked = margin === "column" ? g.column("margin") : g.constant(margin);
      const center = g.mul(g.constant(centerCoefficient), g.square(g.add(own_B, other_B)));
      return {
        loss: pairMean(g, g.add(negLogSigmoid(g, g.sub(lead, asked)), center)),
        metrics: { "rewards/accuracies": pairMetric(g, g.greater(own_B, other_B)) },
      };
    },
    { outputs: ["scores"] },
  );
}
