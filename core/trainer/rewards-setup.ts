import type { Dataset, Tokenizer } from "../data/index.js";
import { userModulePath } from "../host/index.js";
import {
  checkDataSources,
  createScorerIndex,
  customRewardFunction,
  parseErrorPolicy,
  type RewardManager,
  type RewardManagerOptions,
  withErrorPolicy,
} from "../reward/index.js";
import type { InputScope } from "./run-scope.js";
import type { RunSandbox } from "./sandbox-setup.js";
import { userPart } from "./user-parts.js";

/**
 * The run's reward manager with its error policy; every row is known to have a scorer, and that scorer the sandbox that it
 * needs, before anything heavy starts. What concerns groups and the run, `drop_group` and `fail`, is left to the agent loops.
 */
export async function createRewards(
  options: InputScope,
  { tokenizer, sandbox }: { readonly tokenizer: Tokenizer; readonly sandbox: RunSandbox },
  datasets: readonly Dataset[],
): Promise<RewardManager> {
  const { config, services, logger, cwd } = options;
  const { reward } = config;
  const { source, name, module } = reward.reward_manager;
  const custom = reward.custom_reward_function;
  const scorers = createScorerIndex(services.registries.scorers.items().map(({ item }) => item));
  const rewardKwargs = { ...reward.reward_kwargs, ...custom.reward_kwargs };
  const own =
    source === "importlib"
      ? await userPart<RewardManagerOptions, RewardManager>(services, module, {
          key: "reward.reward_manager.module",
          method: "score",
        })
      : null;
  const inner = await (own ?? services.registries.rewardManagers.require(name)).create({
    tokenizer,
    customFunction: custom.path
      ? customRewardFunction((await services.loadUserModule(custom.path, null)) as Record<string, unknown>, {
          path: custom.path,
          name: custom.name,
        })
      : null,
    rewardKwargs,
    findScorer: (dataSource) => scorers.find(dataSource),
    knownDataSources: scorers.knownDataSources,
    sandbox: sandbox.open,
    deadlineMs: reward.timeout * 1000,
    maxConcurrent: reward.max_concurrent,
    rateLimits: {
      requestsPerMinute: reward.max_rpm,
      tokensPerMinute: reward.max_tpm,
      tokensPerRequest: reward.estimated_tokens_per_request,
    },
    batch: { maxSize: reward.batch.max_size, maxWaitMs: reward.batch.max_wait_ms },
    workers: {
      count: reward.num_workers,
      // Found once, here: a worker must not look for it from another place.
      start: (index) =>
        services.startRewardWorker(index, {
          source: custom.path ? { path: userModulePath(custom.path, cwd), name: custom.name } : null,
          kwargs: rewardKwargs,
        }),
    },
    logger,
  });
  const manager = withErrorPolicy(inner, parseErrorPolicy(reward.on_error, reward.max_retries));
  for (const dataset of datasets) {
    for (const [source, origin] of checkDataSources(manager, dataset, config.data.reward_fn_key)) {
      // The user's own manager or function need not run what a scorer would.
      const scorer = own || custom.path ? null : scorers.find(source);
      if (!scorer?.sandboxLanguage) continue;
      await sandbox.require(scorer.sandboxLanguage(rewardKwargs), `dataset row ${origin}, scorer "${scorer.name}"`);
    }
  }
  return manager;
}
