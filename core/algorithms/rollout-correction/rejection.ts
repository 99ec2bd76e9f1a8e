/**
 * Rejection of tokens or whole sequences that the trained policy finds too unlikely (or too likely) for a sample of its
 * own. Per token with ℓ = clip(logProb − rollout, ±20):
 *
 *   k1 = −ℓ      k2 = ℓ²/2      k3 = e^ℓ − 1 − ℓ
 *
 * `token_*` drops the token; `seq_sum_*`, `seq_mean_*`, `seq_max_*` drop all tokens of the row. `*_k1` is kept within
 * ratio bounds (of rollout over trained, in log space), the others up to an upper bound. `seq_mean_k1` is the geometric
 * filter; `seq_max_k2` with a large bound is a veto on catastrophic tokens.
 */
import { mapped, rowMeans, rowSums } from "../masked.js";
import { parseRejectionOptions, parseRsThresholds, type RejectionOption } from "./config.js";
import { clippedStd, fraction, max, mean, min, sampleStd, share, spread, validValues } from "./statistics.js";

export interface RejectionResult {
  /** The mask with rejected tokens at 0, [R]. */
  readonly responseMask: Float64Array;
  readonly metrics: Record<string, number>;
}

export function rejectionMask(
  logRatio_R: ArrayLike<number>,
  mask: ArrayLike<number>,
  offsets: Int32Array,
  rolloutRs: string | null,
  rolloutRsThreshold: number | string | null,
): RejectionResult {
  const options = parseRejectionOptions(rolloutRs);
  const thresholds = parseRsThresholds(options, rolloutRsThreshold);
  const lengths_B = rowSums(mask, mask, offsets);
  const nonEmpty = (values_B: Float64Array) => values_B.filter((_, b) => lengths_B[b] > 0);
  const responseMask = Float64Array.from(mask);
  const metrics: Record<string, number> = {};
  for (const option of options) {
    const { lower, upper } = thresholds[option]!;
    const bounds = option.endsWith("_k1") ? [Math.log(lower!), Math.log(upper)] : [0, upper];
    const isSigned = option.endsWith("_k1");
    const isSequence = option.startsWith("seq_");
    const { stat_R, seq_B } = statistic(option, logRatio_R, mask, offsets);
    const keep_R = stat_R.map((x) => (x <= bounds[1] && (!isSigned || x >= bounds[0]) ? 1 : 0));
    const failed_R = keep_R.map((k, r) => (mask[r] && !k ? 1 : 0));
    keep_R.forEach((k, r) => {
      if (!k) responseMask[r] = 0;
    });

    const seq = nonEmpty(seq_B);
    const population = isSequence ? seq : validValues(stat_R, mask);
    const above = (x: number) => x > bounds[1];
    const below = (x: number) => isSigned && x < bounds[0];
    Object.assign(
      metrics,
      prefixed(`rollout_rs_${option}_`, {
        mean: mean(validValues(stat_R, mask)),
        max: max(population),
        min: min(population),
        std: clippedStd(stat_R, mask, bounds[0], bounds[1]),
        fraction_high: share(population, above),
        fraction_low: share(population, below),
        seq_mean: mean(seq),
        seq_std: sampleStd(seq),
        seq_max: max(seq),
        seq_min: min(seq),
        seq_max_deviation: max(seq.map(Math.abs)),
        seq_fraction_high: share(seq, above),
        ...(isSigned ? { seq_fraction_low: share(seq, below) } : {}),
        masked_fraction: fraction(failed_R, mask, (x) => x > 0),
        seq_masked_fraction: share(nonEmpty(rowSums(failed_R, mask, offsets)), (x) => x > 0),
      }),
    );
  }
  const rejected_R = responseMask.map((m, r) => (mask[r] && !m ? 1 : 0));
  metrics.rollout_rs_masked_fraction = fraction(rejected_R, mask, (x) => x > 0);
  metrics.rollout_rs_seq_masked_fraction = share(rowSums(rejected_R, mask, offsets), (x) => x > 0);
  return { responseMask, metrics };
}

/** The statistic per token (rows' values spread) and per row (for token options: the row's mean). Empty rows: 0. */
function statistic(
  option: RejectionOption,
  logRatio_R: ArrayLike<number>,
  mask: ArrayLike<number>,
  offsets: Int32Array,
) {
  const kind = option.slice(-2);
  const token_R = mapped(mask, (m, r) => {
    if (!m) return 0;
    const l = Math.max(Math.min(logRatio_R[r], 20), -20);
    return kind === "k1" ? -l : kind === "k2" ? 0.5 * l * l : Math.exp(l) - 1 - l;
  });
  if (option.startsWith("token_")) return { stat_R: token_R, seq_B: rowMeans(token_R, mask, offsets) };
  const seq_B = option.startsWith("seq_sum_")
    ? rowSums(token_R, mask, offsets)
    : option.startsWith("seq_mean_")
      ? rowMeans(token_R, mask, offsets)
      : rowMaxima(token_R, mask, offsets);
  return { stat_R: spread(seq_B, offsets), seq_B };
}

function rowMaxima(values_R: ArrayLike<number>, mask: ArrayLike<number>, offsets: Int32Array): Float64Array {
  return Float64Array.from({ length: offsets.length - 1 }, (_, b) => {
    let top: number | null = null;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) {
      if (mask[r] && (top === null || values_R[r] > top)) top = values_R[r];
    }
    return top ?? 0;
  });
}

function prefixed(prefix: string, values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}
