import type { GlobalCounts } from "./algebra.js";
import { errors } from "./errors.js";

/**
 * The counts of a whole mini-batch. `known` replaces what the caller knows better; with several ranks the counts of all
 * of them must be given, for no rank can see them alone.
 */
export function countsOf(
  batch: { readonly responseOffsets: Int32Array; readonly responseMask: ArrayLike<number> },
  known: Partial<GlobalCounts> = {},
): GlobalCounts {
  const { responseOffsets: offsets, responseMask: mask } = batch;
  if ((known.dpSize ?? 1) > 1 && (known.batchNumTokens === undefined || known.globalBatchSize === undefined)) {
    throw errors.VERL_ALGORITHMS_MISSING_INPUT({
      what: `global token and sequence counts are needed with ${known.dpSize} data-parallel ranks`,
      fix: "Pass batchNumTokens and globalBatchSize, summed over the ranks.",
    });
  }
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
