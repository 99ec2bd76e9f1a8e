import { adapterUsed, criticUsed, referenceUsed } from "../../config/index.js";
import type { RunConfig } from "../../config/run-config.js";
import type { BaseEngine, EngineModelType, EngineOptions, EngineWork, RankProcesses } from "../../engine/index.js";
import type { Profiler } from "../../host/profiler.js";
import type { HostServices } from "../../services.js";
import type { RunScope } from "../run-scope.js";
import {
  actorOptions,
  adapterOf,
  criticOptions,
  criticSourceOf,
  type EngineSource,
  modelSourceOf,
  referenceOptions,
  rewardModelOptions,
} from "./engine-options.js";
import { requireAdapters } from "./fitness.js";

/** An engine that a run builds: how it is looked up and made, and how large the batches are that it gets. */
export interface EnginePlan {
  readonly modelType: EngineModelType;
  readonly backend: string | null;
  readonly options: EngineOptions;
  readonly work: EngineWork;
}

export interface EnginePlans {
  readonly actor: EnginePlan;
  /** Null where nothing needs it. */
  readonly critic: EnginePlan | null;
  /** Null also where the reference policy is the actor without its adapter. */
  readonly reference: EnginePlan | null;
}

type Scope = Pick<RunScope, "config" | "cwd"> & { readonly services: Pick<HostServices, "registries"> };

export function planEngines(scope: Scope, totalSteps: number): EnginePlans {
  const { config, cwd } = scope;
  const { actor, ref, rollout } = config.actor_rollout_ref;
  const source = engineSource(scope);
  const samples = (prompts: number) => prompts * rollout.n;
  return {
    actor: {
      modelType: "language_model",
      backend: actor.strategy,
      options: actorOptions(config, source, totalSteps),
      work: work(config, {
        budget: actor.use_dynamic_bsz ? actor.ppo_max_token_len_per_gpu : null,
        sequences: actor.ppo_micro_batch_size_per_gpu,
        most: samples(actor.ppo_mini_batch_size),
      }),
    },
    critic: criticUsed(config)
      ? {
          modelType: "value_model",
          backend: config.critic.strategy,
          options: criticOptions(
            config,
            { ...source, model: criticSourceOf(config, cwd), adapter: adapterOf(config.critic.model, cwd) },
            totalSteps,
          ),
          work: work(config, {
            budget: config.critic.use_dynamic_bsz ? config.critic.ppo_max_token_len_per_gpu : null,
            sequences: config.critic.ppo_micro_batch_size_per_gpu,
            most: samples(config.critic.ppo_mini_batch_size),
          }),
        }
      : null,
    reference:
      referenceUsed(config) && !adapterUsed(config.actor_rollout_ref.model)
        ? {
            modelType: "language_model",
            backend: ref.strategy,
            options: referenceOptions(config, source),
            work: work(config, {
              budget: ref.log_prob_use_dynamic_bsz ? ref.log_prob_max_token_len_per_gpu : null,
              sequences: ref.log_prob_micro_batch_size_per_gpu,
              most: samples(config.data.train_batch_size),
            }),
          }
        : null,
  };
}

/** The engine of `reward.reward_model`; null where nothing scores with one here. */
export function rewardEnginePlan({ config, cwd, services }: Scope): EnginePlan | null {
  const { reward, actor_rollout_ref } = config;
  const { reward_model: model, custom_reward_function: custom, hybrid } = reward;
  const isUsed = custom.path === null || hybrid.some((rule) => rule.model !== 0);
  if (!model.enable || model.rollout.name !== "engine" || !isUsed) return null;
  const { prompt_length, response_length } = actor_rollout_ref.rollout;
  const longest = prompt_length + response_length;
  return {
    modelType: "reward_model",
    backend: model.strategy,
    options: rewardModelOptions(config, cwd, defaultEngines(services)),
    work: { tokens: Math.max(longest, model.max_tokens_per_batch), longest },
  };
}

export interface EngineScope {
  readonly services: HostServices;
  /** Null where this process trains alone. */
  readonly ranks: RankProcesses | null;
  /** Of this process; other ranks are not looked into. */
  readonly profiler?: Profiler;
}

/** Made, not initialised; taken down by the clean-ups. */
export async function createPlannedEngine(
  { modelType, backend, options }: EnginePlan,
  { services, ranks, profiler }: EngineScope,
  cleanups: (() => Promise<void>)[],
): Promise<BaseEngine> {
  const engine = await services.createEngine(
    modelType,
    backend,
    profiler && ranks === null ? { ...options, profiler } : options,
    ranks,
  );
  cleanups.push(() => engine.dispose());
  requireAdapters(engine, options);
  return engine;
}

/** A micro-batch by tokens or by sequences, never more than the whole batch. */
function work(
  { actor_rollout_ref }: RunConfig,
  limits: { readonly budget: number | null; readonly sequences: number | null; readonly most: number },
): EngineWork {
  const { prompt_length, response_length } = actor_rollout_ref.rollout;
  const longest = prompt_length + response_length;
  const whole = longest * limits.most;
  const tokens = limits.budget ?? longest * (limits.sequences ?? limits.most);
  return { tokens: Math.max(longest, Math.min(tokens, whole)), longest };
}

function engineSource({ config, services: { registries }, cwd }: Scope): EngineSource {
  const adapter = adapterOf(config.actor_rollout_ref.model, cwd);
  return { model: modelSourceOf(config, cwd), adapter, defaultEngines: defaultEngines({ registries }) };
}

function defaultEngines({ registries }: Scope["services"]): string[] {
  return registries.engines.items().flatMap(({ item }) => (item.isDefault ? item.backends : []));
}
