import type { Dataset, Tokenizer } from "../data/index.js";
import {
  checkDataSources,
  createScorerIndex,
  customRewardFunction,
  parseErrorPolicy,
  type RewardManager,
  withErrorPolicy,
} from "../reward/index.js";
import type { RunScope } from "./input-setup.js";

/** The run's reward manager; every row is known to have a scorer before anything heavy starts. */
export async function createRewards(
  options: RunScope,
  tokenizer: Tokenizer,
  datasets: readonly Dataset[],
): Promise<RewardManager> {
  const { config, services, logger } = options;
  const { reward } = config;
  const custom = reward.custom_reward_function;
  const scorers = createScorerIndex(services.registries.scorers.items().map(({ item }) => item));
  const inner = await services.registries.rewardManagers.require(reward.reward_manager.name).create({
    tokenizer,
    customFunction: custom.path
      ? customRewardFunction((await services.loadUserModule(custom.path, null)) as Record<string, unknown>, {
          path: custom.path,
          name: custom.name,
        })
      : null,
    rewardKwargs: { ...reward.reward_kwargs, ...custom.reward_kwargs },
    findScorer: (source) => scorers.find(source),
    knownDataSources: scorers.knownDataSources,
    deadlineMs: reward.timeout * 1000,
    maxConcurrent: reward.max_concurrent,
    logger,
  });
  const manager = withErrorPolicy(inner, parseErrorPolicy(reward.on_error, reward.max_retries));
  for (const dataset of datasets) checkDataSources(manager, dataset, config.data.reward_fn_key);
  return manager;
}
