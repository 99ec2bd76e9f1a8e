/** Row and token statistics that the parts of rollout correction share. */
import { clip, mapped, maskedMean, maskedSum, sum } from "../masked.js";

/** log-probabilities of two policies on the same sampled tokens. */
export interface RolloutPair {
  /** Of the policy that trains (old, or current in bypass mode), [R]. */
  readonly logProb: ArrayLike<number>;
  /** As reported by the sampler under the trained distribution, [R]. */
  readonly rolloutLogProb: ArrayLike<number>;
  /** [R] */
  readonly responseMask: ArrayLike<number>;
  /** [B + 1] */
  readonly responseOffsets: Int32Array;
}

export const mean = (xs: ArrayLike<number>): number => (xs.length > 0 ? sum(xs) / xs.length : 0);

export function max(xs: ArrayLike<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < xs.length; i++) found = Math.max(found, xs[i]);
  return found;
}

export function min(xs: ArrayLike<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (let i = 0; i < xs.length; i++) found = Math.min(found, xs[i]);
  return found;
}

/** Sample standard deviation; 0 for one value. */
export function sampleStd(xs: ArrayLike<number>): number {
  if (xs.length < 2) return 0;
  const m = mean(xs);
  return Math.sqrt(sum(mapped(xs, (x) => (x - m) ** 2)) / (xs.length - 1));
}

/** √(E[x²] − E[x]²) over valid tokens of x clipped to [lo, hi]; 0 for one token. */
export function clippedStd(values: ArrayLike<number>, mask: ArrayLike<number>, lo: number, hi: number): number {
  if (maskedSum(mask, mask) <= 1) return 0;
  const x = mapped(values, (v) => clip(v, lo, hi));
  const m = maskedMean(x, mask);
  const squares = mapped(x, (v) => v * v);
  return Math.sqrt(Math.max(0, maskedMean(squares, mask) - m * m));
}

/** Share of valid tokens for which the test holds. */
export function fraction(values: ArrayLike<number>, mask: ArrayLike<number>, test: (x: number) => boolean): number {
  return maskedMean(
    mapped(values, (x) => (test(x) ? 1 : 0)),
    mask,
  );
}

export const share = (xs: ArrayLike<number>, test: (x: number) => boolean): number =>
  mean(mapped(xs, (x) => (test(x) ? 1 : 0)));

/** Values of valid tokens only. */
export function validValues(values: ArrayLike<number>, mask: ArrayLike<number>): Float64Array {
  const valid = new Float64Array(values.length);
  let count = 0;
  for (let r = 0; r < values.length; r++) if (mask[r] !== 0) valid[count++] = values[r];
  return valid.subarray(0, count);
}

/** A value per row spread over its tokens, [R]. */
export function spread(values_B: ArrayLike<number>, offsets: Int32Array): Float64Array {
  const out = new Float64Array(offsets[offsets.length - 1]);
  for (let b = 0; b + 1 < offsets.length; b++) out.fill(values_B[b], offsets[b], offsets[b + 1]);
  return out;
}
