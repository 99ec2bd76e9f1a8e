import { createNaiveRewardManager, type RewardManagerFactory } from "verl-ts/plugin";

/**
 * Scores as the manager `naive` does, and adds the length of the answer as a value of its own. One of your own decides when and where
 * functions and scorers run, and keeps to the deadline and to the number that may run at the same time.
 */
export const rewardManager: RewardManagerFactory = {
  name: "__SHORT__",
  create(options) {
    const naive = createNaiveRewardManager(options);
    return {
      supports: (dataSource) => naive.supports(dataSource),
      async score(input, call) {
        const result = await naive.score(input, call);
        return { ...result, extra: { ...result.extra, tokens: input.responseIds.length } };
      },
    };
  },
};
