/**
 * Importance weights for the gap between the policy that sampled and the one that trains. With ℓ = logProb − rollout:
 *
 *   token      exp(clip(ℓ, ±20))          sequence   exp(clip(Σ ℓ m, ±20)), one weight for all tokens of the row
 *   U          min(w, U)                  truncated importance sampling (TIS)
 *   L_U        w if L ≤ w ≤ U, else 0     IcePop; the mask is unchanged
 *
 * Batch normalisation divides by the mean weight, after the metrics. Weights carry no gradient.
 */
import { clip, mapped, maskedMean, rowMeans, rowSums } from "../masked.js";
import { parseIsThreshold, type RolloutCorrectionConfig, type Threshold } from "./config.js";
import { clippedStd, fraction, max, mean, min, sampleStd, share, spread, validValues } from "./statistics.js";

export interface WeightsResult {
  /** [R]; 0 under the mask. */
  readonly weights: Float64Array;
  readonly metrics: Record<string, number>;
}

type Settings = Pick<RolloutCorrectionConfig, "rolloutIs" | "rolloutIsThreshold" | "rolloutIsBatchNormalize">;

export function importanceWeights(
  logRatio_R: ArrayLike<number>,
  mask: ArrayLike<number>,
  offsets: Int32Array,
  config: Settings,
): WeightsResult {
  const threshold = parseIsThreshold(config.rolloutIsThreshold);
  const sums_B = rowSums(logRatio_R, mask, offsets);
  const log_R = config.rolloutIs === "token" ? logRatio_R : spread(sums_B, offsets);
  const raw = mapped(mask, (m, r) => (m ? Math.exp(clip(log_R[r], -20, 20)) : 0));
  const kept = (w: number) => threshold.lower === null || (w >= threshold.lower && w <= threshold.upper);
  const weights = raw.map((w) => (threshold.lower === null ? Math.min(w, threshold.upper) : kept(w) ? w : 0));

  const prefix = "rollout_is_";
  const metrics: Record<string, number> = {};
  const report = (name: string, value: number) => {
    metrics[prefix + name] = value;
  };
  const means_B = rowMeans(weights, mask, offsets);
  for (const [name, value] of Object.entries(weightMetrics(raw, weights, mask, threshold))) report(name, value);
  if (config.rolloutIs === "sequence") {
    const [high, low] = [Math.log(threshold.upper), Math.log(lowerOf(threshold))];
    report("max", Math.exp(Math.min(max(sums_B), 20)));
    report("min", Math.exp(min(sums_B)));
    report(
      "ratio_fraction_high",
      share(sums_B, (s) => s > high),
    );
    report(
      "ratio_fraction_low",
      share(sums_B, (s) => s < low),
    );
  }
  const rawMeans_B = rowMeans(raw, mask, offsets);
  report("seq_mean", mean(means_B));
  report("seq_std", sampleStd(means_B));
  report("seq_max", max(means_B));
  report("seq_min", min(means_B));
  report("seq_max_deviation", max(means_B.map((q) => Math.abs(q - 1))));
  report(
    "seq_fraction_high",
    share(rawMeans_B, (q) => q > threshold.upper),
  );
  report(
    "seq_fraction_low",
    share(rawMeans_B, (q) => q < lowerOf(threshold)),
  );
  if (threshold.lower !== null)
    report(
      "oob_ratio",
      fraction(raw, mask, (w) => !kept(w)),
    );
  if (!config.rolloutIsBatchNormalize) return { weights, metrics };

  const average =
    config.rolloutIs === "token"
      ? maskedMean(weights, mask)
      : mean(means_B.filter((_, b) => maskedMean(mask, mask, offsets[b], offsets[b + 1]) > 0));
  const factor = average > 1e-8 ? average : 1;
  report("batch_norm_factor", factor);
  return { weights: weights.map((w) => w / factor), metrics };
}

const lowerOf = ({ lower, upper }: Threshold): number => lower ?? 1 / upper;

function weightMetrics(
  raw: Float64Array,
  weights: Float64Array,
  mask: ArrayLike<number>,
  threshold: Threshold,
): Record<string, number> {
  const { upper } = threshold;
  const valid = validValues(weights, mask);
  const clipped = weights.map((w) => clip(w, 0, upper));
  const average = maskedMean(clipped, mask);
  const squares = maskedMean(
    clipped.map((x) => (x / (average + 1e-8)) ** 2),
    mask,
  );
  return {
    mean: maskedMean(weights, mask),
    max: max(valid),
    min: min(valid),
    ratio_fraction_high: fraction(raw, mask, (w) => w > upper),
    ratio_fraction_low: fraction(raw, mask, (w) => w < lowerOf(threshold)),
    std: clippedStd(weights, mask, 0, upper),
    // Every weight zeroed: nothing is left of the sample.
    eff_sample_size: squares > 0 ? 1 / squares : 0,
  };
}
