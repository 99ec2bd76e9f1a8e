/**
 * Masked statistics of flat arrays. A value under a zero mask is never read, so NaN there does no harm.
 *
 *   mean     Σ x m / Σ m, and 0 for an empty mask
 *   variance mean of squared deviations, times N/(N−1) when unbiased; N ≤ 1 is an error then
 *   whiten   (x − mean) / √(var + 1e-8) at **every** position, masked ones included
 */
import { errors } from "./errors.js";

type Numbers = ArrayLike<number>;

/** Plain sum over `[from, to)`, by four running sums: their additions do not wait for each other. */
export function sum(values: Numbers, from = 0, to = values.length): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = from;
  for (; i + 3 < to; i += 4) {
    a += values[i];
    b += values[i + 1];
    c += values[i + 2];
    d += values[i + 3];
  }
  for (; i < to; i++) a += values[i];
  return a + b + (c + d);
}

/** A value for each; `Float64Array.from` with a function takes ten times as long. */
export function mapped(values: Numbers, f: (x: number, i: number) => number): Float64Array {
  const out = new Float64Array(values.length);
  for (let i = 0; i < out.length; i++) out[i] = f(values[i], i);
  return out;
}

export function maskedCount(mask: Numbers, from = 0, to = mask.length): number {
  let count = 0;
  for (let i = from; i < to; i++) count += mask[i];
  return count;
}

/** Sum over `[from, to)`. */
export function maskedSum(values: Numbers, mask: Numbers, from = 0, to = mask.length): number {
  let sum = 0;
  for (let i = from; i < to; i++) if (mask[i]) sum += values[i] * mask[i];
  return sum;
}

export function maskedMean(values: Numbers, mask: Numbers, from = 0, to = mask.length): number {
  const count = maskedCount(mask, from, to);
  return count > 0 ? maskedSum(values, mask, from, to) / count : 0;
}

export function maskedVar(values: Numbers, mask: Numbers, unbiased = true): number {
  const count = maskedCount(mask);
  if (unbiased && count <= 1) {
    throw errors.VERL_ALGORITHMS_TOO_FEW_TOKENS({
      what: `a variance needs at least two tokens that count, not ${count}`,
    });
  }
  const mean = maskedMean(values, mask);
  let squares = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i]) squares += (values[i] - mean) ** 2 * mask[i];
  const variance = count > 0 ? squares / count : 0;
  return unbiased ? variance * (count / (count - 1)) : variance;
}

/** Whitened copy; `shiftMean: false` adds the mean back. */
export function maskedWhiten(values: Numbers, mask: Numbers, shiftMean = true): Float64Array {
  const scale = 1 / Math.sqrt(maskedVar(values, mask) + 1e-8);
  const mean = maskedMean(values, mask);
  const added = shiftMean ? 0 : mean;
  const out = new Float64Array(values.length);
  for (let i = 0; i < out.length; i++) out[i] = (values[i] - mean) * scale + added;
  return out;
}

/** Mean of each row's valid tokens, [B]; 0 for empty rows. */
export function rowMeans(values: Numbers, mask: Numbers, offsets: Int32Array): Float64Array {
  return Float64Array.from({ length: offsets.length - 1 }, (_, b) =>
    maskedMean(values, mask, offsets[b], offsets[b + 1]),
  );
}

/** Sum of each row's valid tokens, [B]. */
export function rowSums(values: Numbers, mask: Numbers, offsets: Int32Array): Float64Array {
  return Float64Array.from({ length: offsets.length - 1 }, (_, b) =>
    maskedSum(values, mask, offsets[b], offsets[b + 1]),
  );
}

/** max(min(x, hi), lo): if the bounds cross, lo wins. */
export function clip(x: number, lo: number, hi: number): number {
  return Math.max(Math.min(x, hi), lo);
}
