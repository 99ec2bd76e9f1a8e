/**
 * Proxies for the variance of the policy gradient (2602.07078), from Σπ² per token. Per row i:
 *
 *   w_t = 1 − 2·exp(old_t) + Σπ²_t      W_i = Σ w m      a_i = mean advantage      ρ̄_i = mean IS weight (1 without)
 *   total power P = mean(ρ̄_i² a_i² max(W_i, 0))      signal S = grad_norm²      noise max(0, (P − S)/(B − 1))
 */
import { maskedMean, maskedSum } from "../algorithms/masked.js";
import { mean } from "./metrics.js";

export interface VarianceProxyInput {
  readonly sumPiSquared: ArrayLike<number>;
  readonly oldLogProb: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  readonly responseMask: ArrayLike<number>;
  readonly responseOffsets: Int32Array;
  readonly rolloutIsWeights?: ArrayLike<number>;
  /** Null: unknown, the signal is reported as 0. */
  readonly gradNorm: number | null;
}

export function varianceProxy(input: VarianceProxyInput): Record<string, number> {
  const { responseMask: mask, responseOffsets: offsets, rolloutIsWeights: rho } = input;
  const w_R = Float64Array.from(mask, (_, r) => 1 - 2 * Math.exp(input.oldLogProb[r]) + input.sumPiSquared[r]);
  const scaled_R = rho ? w_R.map((w, r) => w * rho[r] ** 2) : w_R;
  const rows = Array.from({ length: offsets.length - 1 }, (_, b) => ({ from: offsets[b], to: offsets[b + 1] }));
  const squares = rows.map(({ from, to }) => maskedMean(input.advantages, mask, from, to) ** 2);
  const power = rows.map(({ from, to }, i) => {
    const weight = rho ? maskedMean(rho, mask, from, to) ** 2 : 1;
    return weight * squares[i] * Math.max(maskedSum(w_R, mask, from, to), 0);
  });
  const signal = input.gradNorm === null ? 0 : input.gradNorm ** 2;
  const total = mean(power);
  const noise = rows.length > 1 && input.gradNorm !== null ? Math.max(0, (total - signal) / (rows.length - 1)) : 0;
  return {
    "variance_proxy/proxy1_signal_strength": signal,
    "variance_proxy/proxy2_total_power": total,
    "variance_proxy/proxy3_pure_noise": noise,
    "variance_proxy/expected_a_squared": mean(squares),
    "variance_proxy/expected_w": mean(rows.map(({ from, to }) => maskedSum(scaled_R, mask, from, to))),
  };
}
