/**
 * Load balance of a mixture of experts, from the experts that routed each response token. Per layer, with E experts:
 * violation_e = share_e · E − 1; reported are its largest, smallest and mean absolute value, and their maximum and mean
 * over layers. The last valid token of a row is never fed back to the model, so it has no routing.
 */
import { mean, total } from "./metrics.js";

export interface RoutedExperts {
  /** Expert ids of response tokens, [R, layers, k] row-major. */
  readonly experts: ArrayLike<number>;
  readonly layers: number;
  readonly perToken: number;
  readonly numExperts: number;
  readonly responseMask: ArrayLike<number>;
  readonly responseOffsets: Int32Array;
}

/** How often each expert was chosen, one list per layer. */
export function expertCounts(routed: RoutedExperts): number[][] {
  const { layers, perToken, responseMask: mask, responseOffsets: offsets } = routed;
  const counts = Array.from({ length: layers }, () => new Array<number>(routed.numExperts).fill(0));
  for (let b = 0; b + 1 < offsets.length; b++) {
    let last = offsets[b + 1] - 1;
    while (last >= offsets[b] && !mask[last]) last--;
    for (let r = offsets[b]; r < last; r++) {
      if (!mask[r]) continue;
      for (let i = 0; i < layers * perToken; i++) {
        counts[Math.floor(i / perToken)][routed.experts[r * layers * perToken + i]]++;
      }
    }
  }
  return counts;
}

/** `rollout/moe/{max_vio,min_vio,avg_vio}/{layer_i,max,avg}`; nothing without a routed token. */
export function loadBalanceMetrics(counts: readonly (readonly number[])[]): Record<string, number> {
  if (counts.some((layer) => total(layer) === 0)) return {};
  const violations = counts.map((layer) => layer.map((count) => (count / total(layer)) * layer.length - 1));
  const kinds: Record<string, readonly number[]> = {
    max_vio: violations.map((v) => Math.max(...v)),
    min_vio: violations.map((v) => Math.min(...v)),
    avg_vio: violations.map((v) => mean(v.map(Math.abs))),
  };
  const out: Record<string, number> = {};
  for (const [kind, values] of Object.entries(kinds)) {
    values.forEach((value, layer) => {
      out[`rollout/moe/${kind}/layer_${layer}`] = value;
    });
    out[`rollout/moe/${kind}/max`] = Math.max(...values);
    out[`rollout/moe/${kind}/avg`] = mean(values);
  }
  return out;
}
