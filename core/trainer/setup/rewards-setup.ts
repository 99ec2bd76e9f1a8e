import type { Dataset, MediaReader, Row, Tokenizer } from "../../data/index.js";
import { loadDeadlineMs, userModulePath } from "../../host/index.js";
import type { CallOptions } from "../../host/types.js";
import {
  checkDataSources,
  createModelRewardManager,
  createScorerIndex,
  customRewardFunction,
  dataSourceOf,
  hybridRuleOf,
  type Judge,
  type ModelWithTokenizer,
  parseErrorPolicy,
  type RewardFunction,
  type RewardManager,
  type RewardManagerOptions,
  refuseMedia,
  rewardErrors,
  type StagedScoring,
  tracedJudge,
  withErrorPolicy,
  withScoreDeadline,
} from "../../reward/index.js";
import { LateTracer, type Tracer } from "../../tracing/index.js";
import type { InputScope } from "../run-scope.js";
import { type LateRewards, type LateRewardsOptions, lateRewards } from "../sampling/late-rewards.js";
import type { RunLoops } from "./loops-setup.js";
import { createRewardModel, createRunJudge } from "./reward-model-setup.js";
import type { RunSandbox } from "./sandbox-setup.js";
import { tracerNames } from "./tracing-setup.js";
import { userPart } from "./user-parts.js";

/** What scores a run's trajectories. */
export interface RunRewards {
  /** With retries and the score of the policy `zero`. */
  readonly manager: RewardManager;
  /**
   * For the agent loops, which score each trajectory as it ends: the same, or what of it needs no model that is loaded after
   * sampling; null where that is nothing.
   */
  readonly streaming: RewardManager | null;
  /** That of the reward model; null where there is none. */
  readonly modelTokenizer: Tokenizer | null;
  /** For a colocated reward model; null where trajectories are scored as they end. */
  late(servers: LateRewardsOptions["servers"]): LateRewards | null;
  /** From now on, the parts of scores are told this one. */
  trace(tracer: Tracer): void;
  /** Before the first trajectory: loads models, makes sure that servers answer. */
  start(options?: CallOptions): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * The run's rewards. A function of the user's wins over the reward model, and that over scorers, unless the manager is `hybrid`.
 * Every row is known to have a scorer, unless its agent loop scores itself, and that scorer the sandbox that it needs, before
 * anything heavy starts. What concerns groups and the run, `drop_group` and `fail`, is left to the agent loops.
 */
export async function createRewards(
  options: InputScope,
  {
    tokenizer,
    media,
    sandbox,
    loops,
  }: {
    readonly tokenizer: Tokenizer;
    readonly media: MediaReader;
    readonly sandbox: RunSandbox;
    readonly loops: Pick<RunLoops, "marksOf"> | null;
  },
  datasets: readonly Dataset[],
): Promise<RunRewards> {
  const { config, services, signal } = options;
  const { reward } = config;
  const { source, name, module } = reward.reward_manager;
  const custom = reward.custom_reward_function;
  const isHybrid = source === "register" && name === "hybrid";
  const scorers = createScorerIndex(services.registries.scorers.items().map(({ item }) => item));
  const rewardKwargs = { ...reward.reward_kwargs, ...custom.reward_kwargs };
  const judge = createRunJudge(config, process.env, (text) => options.logger.warn(text));
  const model = usesModel(reward, isHybrid) ? await createRewardModel(options) : null;
  const isLate = model !== null && isColocated(reward);

  const own =
    source === "importlib"
      ? await userPart<RewardManagerOptions, RewardManager>(services, module, {
          key: "reward.reward_manager.module",
          methods: ["score", "supports"],
          createMs: loadDeadlineMs(process.env),
        })
      : null;
  const tracer = new LateTracer();
  const limits = { tokenizer, tracer, deadlineMs: reward.timeout * 1000, maxConcurrent: reward.max_concurrent };
  const ofModel = model && createModelRewardManager(model, limits);
  const inner =
    ofModel && !isHybrid
      ? ofModel
      : await (own ?? services.registries.rewardManagers.require(name)).create({
          ...managerOptions(options, { rewardKwargs, sandbox, judge: judge && tracedJudge(judge.judge, () => tracer) }),
          ...limits,
          media,
          customFunction: custom.path ? await userFunction(options, custom.path, custom.name) : null,
          findScorer: (dataSource) => scorers.find(dataSource),
          knownDataSources: scorers.knownDataSources,
          rewardModel: ofModel,
        });
  const policy = parseErrorPolicy(reward.on_error, reward.max_retries);
  const parts = config.algorithm.gdpo_reward_keys ?? [];
  const manager = withErrorPolicy(own ? withScoreDeadline(inner, limits.deadlineMs) : inner, policy, parts);
  const staged = isLate && isHybrid ? stagedOf(manager) : undefined;
  const needsScorer = (row: Row) => !loops?.marksOf(row).scoresItself;
  const asksModel = (row: Row) =>
    !isHybrid || (hybridRuleOf(reward.hybrid, dataSourceOf(row, config.data.reward_fn_key))?.model ?? 0) !== 0;
  // Known now, not after an hour of sampling; what tools show is known then.
  if (ofModel) for (const dataset of datasets) refuseShown(dataset, (row) => needsScorer(row) && asksModel(row));
  for (const dataset of datasets) {
    for (const [source, origin] of checkDataSources(manager, dataset, config.data.reward_fn_key, needsScorer)) {
      // The user's own manager or function need not run what a scorer would, and a model runs none.
      const scorer = own || custom.path || ofModel ? null : scorers.find(source);
      if (!scorer?.sandboxLanguage) continue;
      await sandbox.require(scorer.sandboxLanguage(rewardKwargs), `dataset row ${origin}, scorer "${scorer.name}"`);
    }
  }
  return {
    manager,
    modelTokenizer: model?.tokenizer ?? null,
    streaming: isLate ? (staged ? { ...manager, score: staged.score } : null) : manager,
    late: (servers) =>
      isLate
        ? lateRewards({
            ...{ policy, tokenizer, signal, servers, finish: staged?.finish },
            model: (model as ModelWithTokenizer).model,
            manager: withErrorPolicy(ofModel as RewardManager, policy),
          })
        : null,
    trace: (to) => tracer.tell(to),
    async start(call) {
      await judge?.start(call?.signal ?? signal);
      await manager.start?.(call);
      // A model that cannot be read is to be told now; then it makes room.
      if (isLate) await model?.model.sleep();
    },
    async dispose() {
      await manager.dispose?.();
      await judge?.close();
    },
  };
}

/** Rows with media that a reward model would read without them. */
function refuseShown(dataset: Dataset, asksModel: (row: Row) => boolean): void {
  for (let i = 0; i < dataset.length; i++) {
    const { messages, row, origin } = dataset.at(i);
    if (asksModel(row)) refuseMedia({ messages }, origin);
  }
}

/** A plugin's `hybrid` may know of no stages. */
function stagedOf({ staged }: RewardManager): StagedScoring {
  if (staged) return staged;
  throw rewardErrors.VERL_REWARD_BAD_HYBRID({
    what: "the registered reward manager hybrid cannot wait for a reward model that is loaded after sampling",
    where: "reward.reward_model.enable_resource_pool",
    fix: "set it to true",
  });
}

type RewardConfig = InputScope["config"]["reward"];

/** Whether the discriminative model has a say. */
function usesModel({ reward_model: model, custom_reward_function: custom, hybrid }: RewardConfig, isHybrid: boolean) {
  if (!model.enable) return false;
  return isHybrid ? hybrid.some((rule) => rule.model !== 0) : custom.path === null;
}

/** Servers have resources of their own. */
const isColocated = ({ reward_model: model }: RewardConfig): boolean =>
  !model.enable_resource_pool && model.addresses.length === 0;

/** What managers are given from the configuration alone. */
function managerOptions(
  { config, services, logger, cwd }: InputScope,
  parts: {
    readonly rewardKwargs: Readonly<Record<string, unknown>>;
    readonly sandbox: RunSandbox;
    readonly judge: Judge | null;
  },
) {
  const { reward } = config;
  const { path: file, name } = reward.custom_reward_function;
  const { rewardKwargs } = parts;
  return {
    rewardKwargs,
    sandbox: parts.sandbox.open,
    judge: parts.judge,
    rateLimits: {
      requestsPerMinute: reward.max_rpm,
      tokensPerMinute: reward.max_tpm,
      tokensPerRequest: reward.estimated_tokens_per_request,
    },
    batch: { maxSize: reward.batch.max_size, maxWaitMs: reward.batch.max_wait_ms },
    hybrid: reward.hybrid,
    workers: {
      count: reward.num_workers,
      // Found once, here: a worker must not look for it from another place.
      start: (index: number) =>
        services.startRewardWorker(index, {
          source: file ? { path: userModulePath(file, cwd), name } : null,
          kwargs: rewardKwargs,
          tracers: tracerNames(config),
        }),
    },
    logger,
  };
}

async function userFunction({ services }: InputScope, file: string, name: string): Promise<RewardFunction> {
  const module = (await services.loadUserModule(file, null, "reward.custom_reward_function.path")) as Record<
    string,
    unknown
  >;
  return customRewardFunction(module, { path: file, name });
}
