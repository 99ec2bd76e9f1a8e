/**
 * The gap between the sampler's and the trainer's log-probability of every sampled token: the always-on detector of
 * stale weights, wrong templates and numerical drift.
 */
export interface GapStatistics {
  /** Mean, 99.9th percentile and maximum of |log p_trainer − log p_sampler| in nats over masked tokens. */
  readonly mean: number;
  readonly p999: number;
  readonly max: number;
  readonly tokens: number;
}

/** @param trainer [R] @param sampler [R] @param mask [R] */
export function samplerGap(
  trainer: ArrayLike<number>,
  sampler: ArrayLike<number>,
  mask: ArrayLike<number>,
): GapStatistics {
  const gaps: number[] = [];
  for (let r = 0; r < trainer.length; r++) if (mask[r] !== 0) gaps.push(Math.abs(trainer[r] - sampler[r]));
  if (gaps.length === 0) return { mean: 0, p999: 0, max: 0, tokens: 0 };
  const sorted = Float64Array.from(gaps).sort();
  const rank = Math.min(sorted.length - 1, Math.ceil(0.999 * sorted.length) - 1);
  return {
    mean: gaps.reduce((a, b) => a + b, 0) / gaps.length,
    p999: sorted[rank],
    max: sorted[sorted.length - 1],
    tokens: gaps.length,
  };
}

/**
 * The reference's probability-difference metrics and ours, under `training/`: `rollout_probs_diff_{mean,max,std,valid}`
 * and `rollout_actor_probs_pearson_corr` on probabilities; `sampler_gap/{mean,p99.9,max}` on log-probabilities.
 */
export function gapMetrics(
  trainer: ArrayLike<number>,
  sampler: ArrayLike<number>,
  mask: ArrayLike<number>,
): Record<string, number> {
  const gap = samplerGap(trainer, sampler, mask);
  const metrics: Record<string, number> = {
    "training/sampler_gap/mean": gap.mean,
    "training/sampler_gap/p99.9": gap.p999,
    "training/sampler_gap/max": gap.max,
    "training/rollout_probs_diff_valid": gap.tokens > 0 ? 1 : 0,
  };
  if (gap.tokens === 0) return metrics;
  const x: number[] = [];
  const y: number[] = [];
  for (let r = 0; r < trainer.length; r++) {
    if (mask[r] === 0) continue;
    x.push(Math.exp(trainer[r]));
    y.push(Math.exp(sampler[r]));
  }
  const difference = x.map((p, i) => Math.abs(p - y[i]));
  const mean = average(difference);
  metrics["training/rollout_probs_diff_mean"] = mean;
  metrics["training/rollout_probs_diff_max"] = difference.reduce((a, b) => Math.max(a, b), 0);
  if (x.length > 1) {
    const spread = difference.reduce((sum, d) => sum + (d - mean) ** 2, 0);
    metrics["training/rollout_probs_diff_std"] = Math.sqrt(spread / (x.length - 1));
    const correlation = pearson(x, y);
    // Undefined when every probability is the same; a silent NaN would only confuse.
    if (Number.isFinite(correlation)) metrics["training/rollout_actor_probs_pearson_corr"] = correlation;
  }
  return metrics;
}

const average = (xs: readonly number[]) => xs.reduce((a, b) => a + b, 0) / xs.length;

function pearson(x: readonly number[], y: readonly number[]): number {
  const [mx, my] = [average(x), average(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) ** 2;
    yy += (y[i] - my) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}
