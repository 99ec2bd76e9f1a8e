import os from "node:os";
import path from "node:path";
import type { RunConfig } from "../../config/run-config.js";
import type { AdapterConfig, EngineModelSource, EngineOptions, OptimizerConfig } from "../../engine/engine.js";
import { trainerErrors } from "../errors.js";

const SINGLE = { rank: 0, size: 1, isOutputSource: true } as const;

/** Where the actor's and the reference's weights come from. */
export function modelSourceOf(config: RunConfig, cwd: string): EngineModelSource {
  const { model } = config.actor_rollout_ref;
  if (model.path !== null) return { path: path.resolve(cwd, model.path) };
  if (model.config !== null) return { config: model.config, initSeed: config.trainer.seed };
  throw noModel();
}

/** Path of a model with weights of its own: what samples without a trainer needs one. */
export function requireWeights(config: RunConfig): void {
  if (config.actor_rollout_ref.model.path === null) throw noModel();
}

const noModel = () =>
  trainerErrors.VERL_TRAINER_NO_MODEL({ what: "actor_rollout_ref.model.path, the model with its weights, is not set" });

/** The adapter that is trained in place of the model; null: none. */
export function adapterOf(model: RunConfig["critic"]["model"], cwd: string): AdapterConfig | null {
  if (model.lora_adapter_path !== null) return { path: path.resolve(cwd, model.lora_adapter_path) };
  if (model.lora_rank === 0) return null;
  return {
    rank: model.lora_rank,
    alpha: model.lora_alpha,
    rslora: model.use_rslora,
    targetModules: model.target_modules,
    excludeModules: model.exclude_modules,
  };
}

/** What an engine is made from beside the configuration. */
export interface EngineSource {
  readonly model: EngineModelSource;
  readonly adapter: AdapterConfig | null;
  /** Engines that stand for no choice (`strategy: null`), by name. */
  readonly defaultEngines: readonly string[];
}

export function actorOptions(config: RunConfig, source: EngineSource, totalSteps: number): EngineOptions {
  const { actor } = config.actor_rollout_ref;
  return {
    model: source.model,
    optimizer: optimizerOf(actor.optim, totalSteps),
    adapter: source.adapter,
    topology: SINGLE,
    threads: threadsPerRank(config),
    seed: config.trainer.seed,
    extra: engineKwargs(actor.engine_kwargs, actor.strategy, source.defaultEngines),
  };
}

/** The critic's own model, or the actor's. Without weights it begins at random, as the actor does. */
export function criticSourceOf(config: RunConfig, cwd: string): EngineModelSource {
  const { model } = config.critic;
  if (model.path !== null) return { path: path.resolve(cwd, model.path) };
  return model.config === null ? modelSourceOf(config, cwd) : { config: model.config, initSeed: config.trainer.seed };
}

export function criticOptions(config: RunConfig, source: EngineSource, totalSteps: number): EngineOptions {
  const { critic } = config;
  return {
    model: source.model,
    optimizer: optimizerOf(critic.optim, totalSteps),
    adapter: source.adapter,
    topology: SINGLE,
    threads: threadsPerRank(config),
    seed: config.trainer.seed,
    extra: engineKwargs(critic.engine_kwargs, critic.strategy, source.defaultEngines),
  };
}

/** Forward only, same weights. */
export function referenceOptions(config: RunConfig, source: EngineSource): EngineOptions {
  const { actor, ref } = config.actor_rollout_ref;
  return {
    model: source.model,
    optimizer: null,
    topology: SINGLE,
    threads: threadsPerRank(config),
    seed: config.trainer.seed,
    extra: engineKwargs(actor.engine_kwargs, ref.strategy, source.defaultEngines),
  };
}

/** The reward model: forward only, its own weights. */
export function rewardModelOptions(
  { trainer, reward: { reward_model: model } }: RunConfig,
  cwd: string,
  defaultEngines: readonly string[],
): EngineOptions {
  return {
    model: { path: path.resolve(cwd, model.model_path ?? "") },
    optimizer: null,
    topology: SINGLE,
    threads: trainer.threads,
    seed: trainer.seed,
    extra: engineKwargs(model.engine_kwargs, model.strategy, defaultEngines),
  };
}

/** Training processes share the machine's cores out unless told how many to use. */
function threadsPerRank({ trainer: { threads, n_gpus_per_node: ranks } }: RunConfig): number {
  return threads > 0 || ranks === 1 ? threads : Math.max(1, Math.floor(os.availableParallelism() / ranks));
}

export function optimizerOf(
  optim: RunConfig["actor_rollout_ref"]["actor"]["optim"],
  totalSteps: number,
): OptimizerConfig {
  const horizon = optim.total_training_steps > 0 ? optim.total_training_steps : totalSteps;
  const warmup = optim.lr_warmup_steps > 0 ? optim.lr_warmup_steps : Math.trunc(optim.lr_warmup_steps_ratio * horizon);
  return {
    name: optim.optimizer,
    lr: optim.lr,
    betas: [optim.betas[0], optim.betas[1]],
    eps: optim.eps,
    weightDecay: optim.weight_decay,
    ...(optim.momentum === null ? {} : { momentum: optim.momentum }),
    ...(optim.nesterov === null ? {} : { nesterov: optim.nesterov }),
    muon: optim.muon,
    noDecay: optim.no_decay,
    lrScale: optim.lr_scale,
    emaDecay: optim.ema_decay,
    clipGrad: optim.clip_grad,
    schedule: {
      type: optim.lr_scheduler_type,
      warmupSteps: warmup,
      totalSteps: horizon,
      minLrRatio: optim.min_lr_ratio,
      numCycles: optim.num_cycles,
      ...(optim.stable_steps === null ? {} : { stableSteps: optim.stable_steps }),
    },
  };
}

/** The section of the chosen engine, or of the one that stands for no choice. */
function engineKwargs(
  sections: Readonly<Record<string, unknown>>,
  chosen: string | null,
  defaults: readonly string[],
): Record<string, unknown> {
  const name = (chosen === null ? defaults : [chosen]).find((candidate) => candidate in sections);
  const section = name === undefined ? undefined : sections[name];
  return typeof section === "object" && section !== null ? { ...section } : {};
}
