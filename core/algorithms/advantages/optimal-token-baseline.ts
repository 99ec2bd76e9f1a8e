/**
 * `optimal_token_baseline` and, for multi-turn rows, `tir_optimal_token_baseline` (2602.07078): a baseline per token
 * position that minimises the variance of the gradient.
 *
 *   G_t = Σ_{t' ≥ t} R m      w_t = (1 − 2·exp(old_t) + Σπ²_t) · ρ_t²      W_t = Σ_{t' ≤ t} w m
 *   b_t = Σ_i G W m / (Σ_i W m + 1e-8) over the group      A = (G − b)·m
 *
 * The plain form aligns rows by position; the `tir` form by index among the tokens that count, so that tool output does
 * not shift it. A group of one has baseline 0. With `handle_zero_tail` (default) the one longest row has no baseline
 * beyond the second longest: there it would only be compared with itself.
 */
import type { AdvantageEstimator, AdvantageInput, AdvantageOutput } from "../advantage.js";
import { errors } from "../errors.js";
import { groupRows, validLengths } from "./groups.js";
import { maskedRewardToGo } from "./reward-to-go.js";

function estimate(input: AdvantageInput, extra: Readonly<Record<string, unknown>>, compact: boolean): AdvantageOutput {
  const { responseOffsets: offsets, responseMask: mask } = input;
  const epsilon = typeof extra.epsilon === "number" ? extra.epsilon : 1e-8;
  const returns = maskedRewardToGo(input);
  const weight_R = cumulativeWeights(input);
  const lengths_B = validLengths(input);
  const slot_R = slots(input, compact);
  const advantages = new Float64Array(returns.length);
  for (const rows of groupRows(input)) {
    const width = rows.reduce((widest, row) => Math.max(widest, offsets[row + 1] - offsets[row]), 0);
    const [numerator, total] = [new Float64Array(width), new Float64Array(width)];
    for (const row of rows) {
      for (let r = offsets[row]; r < offsets[row + 1]; r++) {
        if (!mask[r]) continue;
        numerator[slot_R[r]] += returns[r] * weight_R[r];
        total[slot_R[r]] += weight_R[r];
      }
    }
    const tail = extra.handle_zero_tail === false ? null : soleTail(rows.map((row) => lengths_B[row]));
    rows.forEach((row, i) => {
      const from = rows.length === 1 ? 0 : tail?.row === i ? tail.from : width;
      for (let r = offsets[row]; r < offsets[row + 1]; r++) {
        if (!mask[r]) continue;
        const slot = slot_R[r];
        advantages[r] = returns[r] - (slot < from ? numerator[slot] / (total[slot] + epsilon) : 0);
      }
    });
  }
  return { advantages, returns };
}

/** Where each token stands in its row, or among its row's tokens that count, [R]. */
function slots({ responseOffsets: offsets, responseMask }: AdvantageInput, compact: boolean): Int32Array {
  const slot_R = new Int32Array(responseMask.length);
  for (let b = 0; b + 1 < offsets.length; b++) {
    let slot = 0;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) {
      slot_R[r] = slot;
      if (!compact || responseMask[r]) slot++;
    }
  }
  return slot_R;
}

function cumulativeWeights(input: AdvantageInput): Float64Array {
  const { responseOffsets: offsets, responseMask, oldLogProb, sumPiSquared, rolloutIsWeights } = input;
  if (!oldLogProb || !sumPiSquared) {
    throw errors.VERL_ALGORITHMS_MISSING_INPUT({
      what: "the optimal token baseline needs old log-probabilities and Σπ² per token",
      fix: "Set actor.calculate_sum_pi_squared=true.",
    });
  }
  const weight_R = new Float64Array(responseMask.length);
  for (let b = 0; b + 1 < offsets.length; b++) {
    let running = 0;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) {
      if (responseMask[r]) {
        const importance = rolloutIsWeights ? rolloutIsWeights[r] ** 2 : 1;
        running += (1 - 2 * Math.exp(oldLogProb[r]) + sumPiSquared[r]) * importance;
      }
      weight_R[r] = running;
    }
  }
  return weight_R;
}

/** The one longest row of a group and the second longest length; null when the longest is shared. */
function soleTail(lengths: readonly number[]): { readonly row: number; readonly from: number } | null {
  const sorted = [...lengths].sort((a, b) => b - a);
  if (sorted.length < 2 || sorted[0] === sorted[1]) return null;
  return { row: lengths.indexOf(sorted[0]), from: sorted[1] };
}

export const optimalTokenBaseline: AdvantageEstimator = {
  name: "optimal_token_baseline",
  needs: ["oldLogProb", "sumPiSquared"],
  compute: (input, config) => estimate(input, config.extra, false),
};

export const tirOptimalTokenBaseline: AdvantageEstimator = {
  name: "tir_optimal_token_baseline",
  needs: ["oldLogProb", "sumPiSquared"],
  compute: (input, config) => estimate(input, config.extra, true),
};
