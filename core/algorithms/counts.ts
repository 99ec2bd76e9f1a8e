import type { GlobalCounts } from "./algebra.js";

/** The counts of a whole mini-batch on one rank; `known` replaces what the caller knows better (all ranks, all rows). */
export function countsOf(
  batch: { readonly responseOffsets: Int32Array; readonly responseMask: ArrayLike<number> },
  known: Partial<GlobalCounts> = {},
): GlobalCounts {
  const { responseOffsets: offsets, responseMask: mask } = batch;
  let tokens = 0;
  let sequences = 0;
  let longest = 0;
  for (let b = 0; b + 1 < offsets.length; b++) {
    let valid = 0;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) if (mask[r]) valid++;
    tokens += valid;
    if (valid > 0) sequences++;
    longest = Math.max(longest, offsets[b + 1] - offsets[b]);
  }
  return {
    batchNumTokens: known.batchNumTokens ?? tokens,
    globalBatchSize: known.globalBatchSize ?? sequences,
    lossScaleFactor: known.lossScaleFactor ?? longest,
    dpSize: known.dpSize ?? 1,
  };
}
