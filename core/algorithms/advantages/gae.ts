/**
 * `gae`: generalised advantage estimation (1506.02438), backwards over the tokens that count:
 *
 *   δ_t = R_t + γ·V_next − V_t      A_t = δ_t + γλ·A_next
 *
 * Tokens with m = 0 (tool output, padding) are skipped: no discount, no reward, no value. returns = A + V; then
 * advantages are whitened over the valid tokens, at every position (masked ones are not zeroed; no masked loss reads
 * them). At least two valid tokens are needed. Rows that are not eligible leave the statistics and get 0.
 */
import type { AdvantageEstimator } from "../advantage.js";
import { errors } from "../errors.js";
import { maskedWhiten } from "../masked.js";
import { isEligible } from "./groups.js";
import { eligibleMask } from "./whitening.js";

export const gae: AdvantageEstimator = {
  name: "gae",
  needs: ["values"],
  compute(input, { gamma, lam }) {
    const { responseOffsets: offsets, responseMask, tokenLevelRewards, values } = input;
    if (!values) throw errors.VERL_ALGORITHMS_MISSING_INPUT({ what: "gae needs values per token, from a critic" });
    const raw = new Float64Array(responseMask.length);
    for (let b = 0; b + 1 < offsets.length; b++) {
      let nextValue = 0;
      let last = 0;
      for (let r = offsets[b + 1] - 1; r >= offsets[b]; r--) {
        if (responseMask[r]) {
          const delta = tokenLevelRewards[r] + gamma * nextValue - values[r];
          last = delta + gamma * lam * last;
          nextValue = values[r];
        }
        raw[r] = last;
      }
    }
    const advantages = maskedWhiten(raw, eligibleMask(input));
    const eligible = isEligible(input);
    for (let b = 0; b + 1 < offsets.length; b++) {
      if (!eligible(b)) advantages.fill(0, offsets[b], offsets[b + 1]);
    }
    for (let r = 0; r < raw.length; r++) raw[r] += values[r];
    return { advantages, returns: raw };
  },
};
