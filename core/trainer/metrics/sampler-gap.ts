import { probabilityDrift } from "../../algorithms/index.js";

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
 * `training/sampler_gap/{mean,p99.9,max}` on log-probabilities, and the reference's `rollout_probs_diff_{mean,max,std,valid}`
 * and `rollout_actor_probs_pearson_corr` on probabilities. What does not exist (a deviation of one token, a correlation of
 * equal probabilities) is left out: a silent NaN would only confuse.
 */
export function gapMetrics(
  trainer: ArrayLike<number>,
  sampler: ArrayLike<number>,
  mask: ArrayLike<number>,
): Record<string, number> {
  const gap = samplerGap(trainer, sampler, mask);
  const drift = probabilityDrift({ logProb: trainer, rolloutLogProb: sampler, responseMask: mask });
  return {
    "training/sampler_gap/mean": gap.mean,
    "training/sampler_gap/p99.9": gap.p999,
    "training/sampler_gap/max": gap.max,
    ...Object.fromEntries(Object.entries(drift).filter(([, value]) => Number.isFinite(value))),
  };
}
