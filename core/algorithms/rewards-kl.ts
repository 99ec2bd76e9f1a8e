/**
 * KL in the reward (`algorithm.use_kl_in_reward`; Ziegler et al., 1909.08593):
 *
 *   reward = score − β·KL(old ‖ ref) on tokens that count
 *
 * β is the controller's value before this step; afterwards the controller sees the step's KL: the mean over rows of the
 * row's mean, rows without valid tokens counting as 0.
 */
import type { LossAlgebra } from "./algebra.js";
import { klPenalty } from "./kl.js";
import type { KlController } from "./kl-controller.js";
import { mapped, rowMeans } from "./masked.js";
import { masked } from "./masked-algebra.js";
import { tokenValues } from "./tape.js";

export interface KlRewardInput {
  /** Scores, [R]. */
  readonly tokenLevelScores: ArrayLike<number>;
  /** [R] */
  readonly oldLogProb: ArrayLike<number>;
  /** [R] */
  readonly refLogProb: ArrayLike<number>;
  /** [R] */
  readonly responseMask: ArrayLike<number>;
  /** [B + 1] */
  readonly responseOffsets: Int32Array;
}

export interface KlRewardOutput {
  /** [R] */
  readonly tokenLevelRewards: Float64Array;
  readonly metrics: { readonly "actor/reward_kl_penalty": number; readonly "actor/reward_kl_penalty_coeff": number };
}

export function applyKlPenalty(input: KlRewardInput, controller: KlController, klName: string): KlRewardOutput {
  const { responseMask: mask, oldLogProb, refLogProb, responseOffsets } = input;
  const kl = (g: LossAlgebra) => masked(g, klPenalty(g, klName, g.column("oldLogProb"), g.column("refLogProb")));
  const kl_R = tokenValues(kl, { oldLogProb, refLogProb }, input);
  const beta = controller.value;
  const tokenLevelRewards = mapped(input.tokenLevelScores, (score, r) => score - beta * kl_R[r]);
  const rows = responseOffsets.length - 1;
  const currentKl = rows > 0 ? rowMeans(kl_R, mask, responseOffsets).reduce((a, b) => a + b, 0) / rows : 0;
  controller.update(currentKl, rows);
  return {
    tokenLevelRewards,
    metrics: { "actor/reward_kl_penalty": currentKl, "actor/reward_kl_penalty_coeff": beta },
  };
}

/** score − ratio·(old − ref), without mask or controller. */
export function subtractKl(
  input: Pick<KlRewardInput, "tokenLevelScores" | "oldLogProb" | "refLogProb">,
  ratio: number,
): Float64Array {
  return mapped(input.tokenLevelScores, (score, r) => score - ratio * (input.oldLogProb[r] - input.refLogProb[r]));
}

/**
 * Token-level scores from one outcome per row, [R]: the outcome on the row's last token that counts (on its very last
 * one if none counts), 0 elsewhere. Rows without tokens have nowhere to put it.
 */
export function placeOutcomes(
  outcomes_B: ArrayLike<number>,
  responseMask: ArrayLike<number>,
  responseOffsets: Int32Array,
): Float64Array {
  const scores_R = new Float64Array(responseMask.length);
  for (let b = 0; b + 1 < responseOffsets.length; b++) {
    const [start, end] = [responseOffsets[b], responseOffsets[b + 1]];
    if (start === end) continue;
    let at = end - 1;
    while (at >= start && !responseMask[at]) at--;
    scores_R[at >= start ? at : end - 1] = outcomes_B[b];
  }
  return scores_R;
}
