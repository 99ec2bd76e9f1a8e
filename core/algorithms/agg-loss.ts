/**
 * Aggregation of a loss per token into this micro-batch's share of the mini-batch's loss. With D = data-parallel size,
 * N = tokens and G = sequences of the **global** mini-batch, S = scale factor, n_i = valid tokens of row i:
 *
 *   token-mean                D · Σ L m / N                     (DAPO, 2503.14476)
 *   token-sum                 D · Σ L m
 *   seq-mean-token-sum        D/G · Σ_i Σ_t L m
 *   seq-mean-token-mean       D/G · Σ_i (Σ_t L m) / n_i         (GRPO, 2402.03300)
 *   seq-mean-token-sum-norm   D/(G·S) · Σ_i Σ_t L m             (Dr. GRPO, 2503.20783)
 *
 * Shares add up over micro-batches, and gradients are averaged over ranks (hence D), so the loss does not depend on how
 * the batch is cut. Without any valid token the loss is 0. NaN under the mask is ignored in every mode.
 */
import type { LossAggMode } from "./advantage.js";
import type { LossAlgebra, Value } from "./algebra.js";
import { errors } from "./errors.js";
import { denominator, masked, rowMean } from "./masked-algebra.js";

export const LOSS_AGG_MODES: readonly LossAggMode[] = [
  "token-mean",
  "token-sum",
  "seq-mean-token-sum",
  "seq-mean-token-mean",
  "seq-mean-token-sum-norm",
];

/** The scalar share of `loss_R` under `mode`. `mask_R` replaces the batch's mask where a loss rejects tokens itself. */
export function aggLoss(g: LossAlgebra, loss_R: Value, mode: LossAggMode, mask_R: Value = g.mask()): Value {
  const dpSize = g.count("dpSize");
  const share = (total: Value, count: Value) => g.div(g.mul(dpSize, total), denominator(g, count));
  const total = () => g.sum(masked(g, loss_R, mask_R));
  const sequences = () => g.count("globalBatchSize");
  switch (mode) {
    case "token-mean":
      return share(total(), g.count("batchNumTokens"));
    case "token-sum":
      return g.mul(dpSize, total());
    case "seq-mean-token-sum":
      return share(total(), sequences());
    case "seq-mean-token-mean":
      return share(g.sum(rowMean(g, loss_R, mask_R)), sequences());
    case "seq-mean-token-sum-norm":
      return g.div(share(total(), sequences()), denominator(g, g.count("lossScaleFactor")));
    default:
      throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
        what: `there is no loss_agg_mode "${mode}"`,
        why: `known: ${LOSS_AGG_MODES.join(", ")}`,
      });
  }
}
