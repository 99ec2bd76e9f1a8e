/**
 * How far the trained policy is from the one that sampled, per token and per row. Rows without valid tokens enter the
 * row means with 0.
 */
import { clip, mapped, maskedMean, rowMeans, rowSums } from "../masked.js";
import { max, mean, min, type RolloutPair, sampleStd, validValues } from "./statistics.js";

export function offPolicyMetrics(pair: RolloutPair): Record<string, number> {
  const { logProb, rolloutLogProb, responseMask: mask, responseOffsets: offsets } = pair;
  const ratio_R = mapped(mask, (m, r) => (m ? logProb[r] - rolloutLogProb[r] : 0));
  const trained_B = rowMeans(logProb, mask, offsets);
  const rollout_B = rowMeans(rolloutLogProb, mask, offsets);
  const gap_B = trained_B.map((a, b) => rollout_B[b] - a);
  return {
    training_ppl: mean(trained_B.map((a) => Math.exp(-a))),
    training_log_ppl: mean(trained_B.map((a) => -a)),
    rollout_ppl: mean(rollout_B.map((b) => Math.exp(-b))),
    rollout_log_ppl: mean(rollout_B.map((b) => -b)),
    kl: maskedMean(
      ratio_R.map((l) => -l),
      mask,
    ),
    k3_kl: maskedMean(
      ratio_R.map((l) => Math.exp(l) - l - 1),
      mask,
    ),
    log_ppl_diff: mean(gap_B),
    log_ppl_abs_diff: mean(gap_B.map(Math.abs)),
    log_ppl_diff_max: max(gap_B),
    log_ppl_diff_min: min(gap_B),
    ppl_ratio: mean(gap_B.map(Math.exp)),
    chi2_token:
      maskedMean(
        ratio_R.map((l) => Math.exp(2 * clip(l, -20, 20))),
        mask,
      ) - 1,
    chi2_seq: mean(rowSums(ratio_R, mask, offsets).map((s) => Math.exp(2 * clip(s, -20, 20)))) - 1,
  };
}

/**
 * Drift of probabilities between sampler and trainer over valid tokens: |p − q| and their correlation. Without a valid
 * token the flag is 0 and the rest NaN.
 */
export function probabilityDrift(pair: Omit<RolloutPair, "responseOffsets">): Record<string, number> {
  const p = validValues(pair.logProb, pair.responseMask).map(Math.exp);
  const q = validValues(pair.rolloutLogProb, pair.responseMask).map(Math.exp);
  const none = p.length === 0;
  const gap = p.map((x, i) => Math.abs(x - q[i]));
  return {
    "training/rollout_probs_diff_valid": none ? 0 : 1,
    "training/rollout_probs_diff_max": none ? Number.NaN : max(gap),
    "training/rollout_probs_diff_mean": none ? Number.NaN : mean(gap),
    "training/rollout_probs_diff_std": none ? Number.NaN : sampleStd(gap),
    "training/rollout_actor_probs_pearson_corr": pearson(p, q),
  };
}

/** NaN without variation. */
function pearson(p: Float64Array, q: Float64Array): number {
  const [mp, mq] = [mean(p), mean(q)];
  let cross = 0;
  let pp = 0;
  let qq = 0;
  for (let i = 0; i < p.length; i++) {
    cross += (p[i] - mp) * (q[i] - mq);
    pp += (p[i] - mp) ** 2;
    qq += (q[i] - mq) ** 2;
  }
  return cross / Math.sqrt(pp * qq);
}
