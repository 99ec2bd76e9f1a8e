/** Whitening over the tokens of eligible rows; what a rejected or abstaining row has says nothing about the others. */
import type { AdvantageInput } from "../advantage.js";
import { maskedWhiten } from "../masked.js";
import { isEligible } from "./groups.js";

/** The response mask without the rows that are not eligible, [R]. */
export function eligibleMask(input: AdvantageInput): Float64Array {
  const { responseOffsets: offsets, responseMask } = input;
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
  return maskedWhiten(values_R, mask_R).map((x, r) => (mask_R[r] ? x : 0));
}
