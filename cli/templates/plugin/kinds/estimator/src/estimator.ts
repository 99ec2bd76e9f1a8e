import type { AdvantageEstimator } from "verl-ts/plugin";

/**
 * Reward minus the mean reward of the other samples of the prompt, the same for every token (leave-one-out baseline,
 * 2402.14740). Rows that take no part in training have an all-zero mask, and no advantage.
 */
export const estimator: AdvantageEstimator = {
  name: "__SHORT__",
  needs: [],
  compute({ tokenLevelRewards, responseMask, responseOffsets, groupIds }) {
    const rows = groupIds.map((group, b) => {
      const [start, end] = [responseOffsets[b], responseOffsets[b + 1]];
      let [reward, tokens] = [0, 0];
      for (let r = start; r < end; r++) {
        reward += tokenLevelRewards[r];
        if (responseMask[r] !== 0) tokens++;
      }
      return { group, start, end, reward, counts: tokens > 0 };
    });
    const totals = new Map<string, { sum: number; count: number }>();
    for (const { group, reward, counts } of rows) {
      if (!counts) continue;
      const { sum, count } = totals.get(group) ?? { sum: 0, count: 0 };
      totals.set(group, { sum: sum + reward, count: count + 1 });
    }
    const advantages = new Float32Array(tokenLevelRewards.length);
    for (const { group, start, end, reward, counts } of rows) {
      const total = totals.get(group);
      if (!counts || !total || total.count < 2) continue;
      const advantage = reward - (total.sum - reward) / (total.count - 1);
      for (let r = start; r < end; r++) if (responseMask[r] !== 0) advantages[r] = advantage;
    }
    return { advantages, returns: advantages };
  },
};
