import type { StartAgentThread } from "./agent/threads/loop-threads.js";
import type { RankProcesses } from "./engine/data-parallel/compose-ranks.js";
import type { BaseEngine, EngineFactory, EngineModelType, EngineOptions } from "./engine/engine.js";
import type { HookDriver } from "./host/hook-driver.js";
import type { LoadUserModule } from "./host/loading/user-module.js";
import type { HostContainer } from "./host/registry/container.js";
import type { Registries } from "./kinds.js";
import type { Platform } from "./platform/platform.js";
import type { WorkerTask } from "./reward/index.js";
import type { RewardWorker } from "./reward/reward.js";
import type { HookContexts, Hooks } from "./trainer/hooks.js";

/**
 * What a started host offers to the trainers: frozen registries and the choices that configuration and environment made.
 */
export interface HostServices {
  readonly registries: Registries;
  /**
   * The run's own scope, a child of the host's: registries are under `Symbol.for("verl.<kind>")`, the platform under
   * `verl.platform.current`; what a trainer makes asynchronously goes in with `provide`.
   */
  readonly container: HostContainer;
  /** The platform chosen by `VERL_PLATFORM`, `trainer.device`, or detection. */
  readonly platform: Platform;
  readonly loadUserModule: LoadUserModule;
  /** Every hook set in registration order, with its owner. */
  readonly hooks: readonly { readonly hooks: Hooks; readonly owner: string }[];
  /** A driver over those hooks; `deadlineMs` is for sets that name none (`trainer.hook_deadline_s`). */
  createHookDriver(options: { readonly deadlineMs: number }): HookDriver<HookContexts>;
  /** The engine that {@link HostServices.createEngine} would make. */
  findEngine(modelType: EngineModelType, backend: string | null): EngineFactory;
  /** The same, once it is known that it can compute here. @throws VERL_ENGINE_UNAVAILABLE */
  requireEngine(modelType: EngineModelType, backend: string | null): Promise<EngineFactory>;
  /**
   * Starts the processes of a data-parallel run's ranks 1, 2, …, `ranks` counting this one too: with the same plugins, a
   * device each. The caller disposes them.
   */
  startRanks(ranks: number): Promise<RankProcesses>;
  /** Starts thread `index` of those that score (`reward.reward_manager.name: remote`). The caller stops it. */
  startRewardWorker(index: number, task: Omit<WorkerTask, "name">): Promise<RewardWorker>;
  /** Starts thread `index` of those that run agent loops (`thread: true`). The caller stops it. */
  readonly startAgentThread: StartAgentThread;
  /**
   * Look an engine up (model type → backend → (device, vendor), device, CUDA-compatible) and make it, over all of `ranks`
   * where they are given.
   */
  createEngine(
    modelType: EngineModelType,
    backend: string | null,
    options: EngineOptions,
    ranks?: RankProcesses | null,
  ): Promise<BaseEngine>;
}
