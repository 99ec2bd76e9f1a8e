import type { AdvantageInput } from "../advantage.js";

/** G_t = Σ_{t' ≥ t} R m: undiscounted, over the tokens that count, constant across holes, [R]. */
export function maskedRewardToGo(input: AdvantageInput): Float64Array {
  const { responseOffsets: offsets, responseMask, tokenLevelRewards } = input;
  const returns = new Float64Array(responseMask.length);
  for (let b = 0; b + 1 < offsets.length; b++) {
    let running = 0;
    for (let r = offsets[b + 1] - 1; r >= offsets[b]; r--) {
      if (responseMask[r]) running += tokenLevelRewards[r];
      returns[r] = running;
    }
  }
  return returns;
}
