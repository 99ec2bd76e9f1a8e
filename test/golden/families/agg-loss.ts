import type { LossAggMode } from "../../../core/algorithms/advantage.js";
import { aggLoss } from "../../../core/algorithms/agg-loss.js";
import type { Family, GoldenCase, Tensor } from "../case.js";
import { countsFrom, type LossShape, runLoss } from "./loss-case.js";

/** The loss matrix plays the model output, so that its gradient comes through the algebra. */
function run(c: GoldenCase, lossMat: Tensor, mask: Tensor) {
  const mode = c.param<LossAggMode>("loss_agg_mode");
  const shape: LossShape = { outputs: { logProb: lossMat }, mask, counts: countsFrom(c.params, mode) };
  return runLoss({ build: (g) => ({ loss: aggLoss(g, g.output("logProb"), mode), metrics: {} }) }, shape);
}

const slice = ({ dtype, shape: [, width], data }: Tensor, from: number, to: number): Tensor => ({
  dtype,
  shape: [to - from, width],
  data: data.slice(from * width, to * width),
});

export const aggLossFamily: Family = {
  agg_loss(c) {
    const lossMat = c.tensor("loss_mat");
    const { loss, gradients } = run(c, lossMat, c.tensor("loss_mask"));
    // Where the reference has NaN: what remains without the masked values, which `finite` computes by itself.
    return { outputs: { loss }, grad: { loss_mat: gradients.logProb }, insteadOfNaN: { loss: finite(c) } };
  },

  agg_loss_data_parallel(c) {
    const [lossMat, mask] = [c.tensor("loss_mat"), c.tensor("loss_mask")];
    const [ranks, micro] = [c.param<number>("dp_size"), c.param<number>("micro_batch")];
    const rows = lossMat.shape[0] / ranks;
    const losses = Array.from({ length: ranks }, (_, rank) => {
      const starts = Array.from({ length: Math.ceil(rows / micro) }, (_, i) => rank * rows + i * micro);
      return starts.map((start) => {
        const end = Math.min(start + micro, (rank + 1) * rows);
        return run(c, slice(lossMat, start, end), slice(mask, start, end)).loss;
      });
    });
    const sums = losses.map((list) => list.reduce((a, b) => a + b, 0));
    const whole = run(c, lossMat, mask).loss / ranks;
    return {
      outputs: {
        per_rank_micro_losses: losses,
        mean_over_ranks_of_sum_over_micro: sums.reduce((a, b) => a + b, 0) / ranks,
        single_process: whole,
      },
    };
  },
};

/** The loss with local counts, by a plain loop; 0 when no token counts. */
function finite(c: GoldenCase): number {
  const [{ shape, data }, mask] = [c.tensor("loss_mat"), c.data("loss_mask")];
  const [rows, width] = shape;
  let [total, means, tokens, sequences] = [0, 0, 0, 0];
  for (let b = 0; b < rows; b++) {
    let [sum, count] = [0, 0];
    for (let t = 0; t < width; t++) {
      if (!mask[b * width + t]) continue;
      sum += data[b * width + t];
      count++;
    }
    total += sum;
    tokens += count;
    if (count > 0) [sequences, means] = [sequences + 1, means + sum / count];
  }
  if (tokens === 0) return 0;
  switch (c.param<LossAggMode>("loss_agg_mode")) {
    case "token-mean":
      return total / tokens;
    case "token-sum":
      return total;
    case "seq-mean-token-sum":
      return total / sequences;
    case "seq-mean-token-mean":
      return means / sequences;
    case "seq-mean-token-sum-norm":
      return total / sequences / width;
  }
}
