/**
 * PF-PPO (2409.06957): after advantages are known, the batch is resampled with replacement by policy filtration weights
 * of the sequence scores, B draws.
 *
 *   pow         |s|^weight_pow
 *   max_min     1 for rows equal to the largest or the smallest score, else 0
 *   max_random  0.4 for rows equal to the largest score, else 0.1
 *
 * 1e-8 is added to every weight. All columns of the batch follow the drawn rows.
 */
import type { RandomStream } from "../../data/random.js";
import { errors } from "../errors.js";

export type ReweightMethod = "pow" | "max_min" | "max_random";

export function pfPpoWeights(scores_B: ArrayLike<number>, method: ReweightMethod, weightPow = 2): Float64Array {
  const scores = Float64Array.from(scores_B);
  const max = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const min = scores.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return scores.map((s) => weightOf(s, max, min, method, weightPow) + 1e-8);
}

function weightOf(s: number, max: number, min: number, method: ReweightMethod, weightPow: number): number {
  switch (method) {
    case "pow":
      return Math.abs(s) ** weightPow;
    case "max_min":
      return s === max || s === min ? 1 : 0;
    case "max_random":
      return s === max ? 0.4 : 0.1;
    default:
      throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
        what: `there is no reweight_method "${method}"`,
        why: "known: pow, max_min, max_random",
      });
  }
}

/** As many rows as there are weights, drawn with replacement in proportion to them. */
export function drawRows(weights_B: ArrayLike<number>, random: Pick<RandomStream, "next">): number[] {
  const cumulative: number[] = [];
  let total = 0;
  for (let b = 0; b < weights_B.length; b++) {
    total += weights_B[b];
    cumulative.push(total);
  }
  return cumulative.map(() => {
    const at = random.next() * total;
    let [low, high] = [0, cumulative.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle] > at) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}
