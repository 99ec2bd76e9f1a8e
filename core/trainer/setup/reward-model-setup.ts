import path from "node:path";
import type { RunConfig } from "../../config/run-config.js";
import { loadTokenizer, type Tokenizer } from "../../data/index.js";
import { isVerlError } from "../../host/errors.js";
import {
  checkServers,
  createServerClient,
  type Judge,
  judgeOver,
  type ModelWithTokenizer,
  type Router,
  requireTemplate,
  rewardErrors,
  type ServerClient,
  startRouter,
} from "../../reward/index.js";
import type { InputScope } from "../run-scope.js";
import { isFullyDeterministic } from "./full-determinism.js";
import { rewardEnginePlan } from "./run-engines.js";

const WHERE = "reward.reward_model.addresses";

/** The judge of reward functions: its servers, and a router over them for clients of other people's. */
export interface RunJudge {
  readonly judge: Judge;
  /** Makes sure that the servers answer; from then on the router is there. */
  start(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Null where no servers are named, or there is no code of the user's that could ask them. */
export function createRunJudge(config: RunConfig, env = process.env, warn?: (text: string) => void): RunJudge | null {
  const { reward } = config;
  const { reward_model: model, custom_reward_function: custom, reward_manager: manager } = reward;
  const isAsked = custom.path !== null || manager.source === "importlib";
  if (!model.enable || model.addresses.length === 0 || !isAsked) return null;
  const fullDeterminism = isFullyDeterministic(config, env);
  const client = clientOf(model, { env, fullDeterminism, warn });
  let router: Router | null = null;
  const judge = judgeOver(client, {
    model: nameOf(model),
    mergeRequests: model.merge_requests,
    address: () => router?.address ?? null,
  });
  return {
    judge,
    async start(signal) {
      await checkServers(client, judge.model, { signal });
      router = await startRouter({ servers: client.servers, fullDeterminism });
    },
    close: async () => router?.close(),
  };
}

/** The discriminative reward model, not started. */
export async function createRewardModel(scope: InputScope): Promise<ModelWithTokenizer> {
  const { config, services, cwd, logger } = scope;
  const warn = (text: string) => logger.warn(text);
  const { reward_model: model } = config.reward;
  const tokenizer = await tokenizerOf(model, cwd);
  const made = await services.registries.rewardModels.require(model.rollout.name).create({
    modelName: nameOf(model),
    servers: () => clientOf(model, { env: process.env, fullDeterminism: isFullyDeterministic(config), warn }),
    openEngine: () => {
      const plan = rewardEnginePlan(scope);
      if (!plan) throw new TypeError("only the reward model `engine` has an engine");
      return services.createEngine(plan.modelType, plan.backend, plan.options);
    },
    tokenizer,
    maxTokens: model.max_tokens_per_batch,
    logger,
  });
  return { model: made, tokenizer };
}

type ModelConfig = RunConfig["reward"]["reward_model"];

const nameOf = ({ model_name: name, model_path: file }: ModelConfig): string => name ?? file ?? "";

function clientOf(
  model: ModelConfig,
  scope: { readonly env: NodeJS.ProcessEnv; readonly fullDeterminism: boolean; readonly warn?: (text: string) => void },
): ServerClient {
  return createServerClient({
    ...scope,
    addresses: model.addresses,
    apiKeyEnv: model.api_key_env,
    maxConcurrent: model.max_concurrent,
    maxTries: model.max_tries,
    where: WHERE,
  });
}

async function tokenizerOf(model: ModelConfig, cwd: string): Promise<Tokenizer> {
  const folder = path.resolve(cwd, model.tokenizer_path ?? model.model_path ?? "");
  try {
    const tokenizer = await loadTokenizer(folder);
    requireTemplate(tokenizer, folder);
    return tokenizer;
  } catch (error) {
    if (!isVerlError(error) || model.tokenizer_path !== null || model.rollout.name === "engine") throw error;
    throw rewardErrors.VERL_REWARD_MODEL_UNFIT({
      what: `the tokenizer of the reward model ${nameOf(model)} is not here: ${error.what}`,
      where: folder,
      why: "conversations are rendered here, by the reward model's own template, before a server gets them",
      fix: "set reward.reward_model.tokenizer_path to a folder with its tokenizer, or to its id on the Hugging Face Hub",
      cause: error,
    });
  }
}
