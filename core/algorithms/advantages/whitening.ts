/** Whitening over the tokens of eligible rows; what a rejected or abstaining row has says nothing about the others. */
import type { AdvantageInput } from "../advantage.js";
import { maskedWhiten } from "../masked.js";
import { isEligible } from "./groups.js";

/** The response mask without the rows that are not eligible, [R]. */
export function eligibleMask(input: AdvantageInput): ArrayLike<number> {
  const { responseOffsets: offsets, responseMask } = input;
  // By default those are the rows without a valid token.
  if (!input.eligible) return responseMask;
  const eligible = isEligible(input);
  const mask_R = new Float64Array(responseMask.length);
  for (let b = 0; b + 1 < offsets.length; b++) {
    if (!eligible(b)) continue;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) mask_R[r] = responseMask[r];
  }
  return mask_R;
}

/** Whitened where `mask_R` is set, 0 elsewhere. */
export function whitenMasked(values_R: ArrayLike<number>, mask_R: ArrayLike<number>): Float64Array {
  const whitened_R = maskedWhiten(values_R, mask_R);
  for (let r = 0; r < whitened_R.length; r++) if (!mask_R[r]) whitened_R[r] = 0;
  return whitened_R;
}
