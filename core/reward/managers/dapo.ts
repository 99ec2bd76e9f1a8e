/**
 * The reward of DAPO (2503.14476): what `naive` gives, and a soft penalty for overlong responses. Its options are those of
 * the reference, in `reward.reward_kwargs`:
 *
 *   max_resp_len: 2048
 *   overlong_buffer_cfg: { enable: true, len: 512, penalty_factor: 1, log: false, beyond: clamp }
 *
 * The length counts every token of the response, tool output included. `log` adds `overlong_reward` and `overlong` to the
 * extra values; `beyond: grow` is the reference's penalty past the limit.
 */
import { type OverlongBuffer, overlongPenalty } from "../../algorithms/index.js";
import type { RewardManager, RewardManagerFactory, RewardManagerOptions } from "../reward.js";
import { createNaiveRewardManager } from "./naive.js";

export const dapoRewardManager: RewardManagerFactory = {
  name: "dapo",
  create: (options) => withOverlongPenalty(createNaiveRewardManager(options), options.rewardKwargs),
};

/** The same manager with the penalty, where `overlong_buffer_cfg.enable` asks for it. */
export function withOverlongPenalty(
  manager: RewardManager,
  kwargs: RewardManagerOptions["rewardKwargs"],
): RewardManager {
  const buffer = bufferOf(kwargs);
  if (!buffer) return manager;
  const penaltyOf = overlongPenalty(buffer);
  return {
    ...manager,
    async score(input, call) {
      const result = await manager.score(input, call);
      if (result.score === null) return result;
      const penalty = penaltyOf(input.responseIds.length);
      const score = result.score + penalty;
      if (!buffer.log) return { ...result, score };
      return { ...result, score, extra: { ...result.extra, overlong_reward: penalty, overlong: penalty < 0 } };
    },
  };
}

function bufferOf(kwargs: RewardManagerOptions["rewardKwargs"]): (OverlongBuffer & { readonly log: boolean }) | null {
  const { overlong_buffer_cfg: section, max_resp_len: limit } = kwargs;
  const buffer = (section ?? {}) as Record<string, unknown>;
  if (buffer.enable !== true) return null;
  return {
    maxResponseLength: Number(limit),
    bufferLength: Number(buffer.len),
    penaltyFactor: Number(buffer.penalty_factor ?? 1),
    beyond: (buffer.beyond ?? "clamp") as OverlongBuffer["beyond"],
    log: buffer.log === true,
  };
}
