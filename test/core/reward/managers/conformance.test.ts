import {
  createBatchRewardManager,
  createNaiveRewardManager,
  createRateLimitedRewardManager,
  type RewardFunction,
  type RewardManagerOptions,
} from "../../../../core/reward/index.js";
import { rewardManagerConformance, runConformance } from "../../../../testing/index.js";

const makers = {
  naive: createNaiveRewardManager,
  "rate-limited": (options: RewardManagerOptions) =>
    createRateLimitedRewardManager({
      ...options,
      rateLimits: { requestsPerMinute: 1e6, tokensPerMinute: 1e9, tokensPerRequest: 10 },
    }),
  /** The suite's functions take one trajectory; here they get lists of one. Without a function there is no such manager. */
  batch: (options: RewardManagerOptions) => {
    const { customFunction: one } = options;
    if (!one) return createNaiveRewardManager(options);
    const list = async (samples: Parameters<RewardFunction>[0][], context: Parameters<RewardFunction>[0]) =>
      Promise.all(samples.map((sample) => one({ ...context, ...sample })));
    return createBatchRewardManager({ ...options, customFunction: list as unknown as RewardFunction });
  },
};

for (const [name, make] of Object.entries(makers)) {
  runConformance(`${name} reward manager`, rewardManagerConformance({ make }), { describe, it });
}
