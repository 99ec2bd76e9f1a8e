import path from "node:path";
import type { AgentLoopManager } from "../../agent/agent-loop.js";
import { createAgentLoopManager, loadInteractions } from "../../agent/index.js";
import { modelTypeOf } from "../../data/index.js";
import type { Tracer } from "../../tracing/tracer.js";
import type { ReplayBuffer, ReplayBufferOptions } from "../../transfer/replay-buffer.js";
import type { TransferQueue } from "../../transfer/transfer-queue.js";
import type { RunScope } from "../run-scope.js";
import { namingWaits } from "../sampling/named-waits.js";
import type { PromptInputs } from "./input-setup.js";
import { openLoopThreads } from "./loop-threads-setup.js";
import { managerSource, type RunLoops } from "./loops-setup.js";
import type { ShownMedia } from "./media-setup.js";
import type { RunRewards } from "./rewards-setup.js";
import { createRollout, type RolloutParts } from "./rollout-setup.js";
import type { RunTools } from "./tools-setup.js";
import { runGauges } from "./tracing-setup.js";
import { userPart } from "./user-parts.js";

/** Everything between a prompt and its scored trajectories. */
export interface SamplingParts extends RolloutParts {
  readonly queue: TransferQueue;
  readonly replay: ReplayBuffer;
  readonly manager: AgentLoopManager;
}

export async function createSampling(
  scope: RunScope,
  needs: PromptInputs & {
    readonly shown: ShownMedia;
    readonly rewards: Pick<RunRewards, "streaming">;
    /** The time that chat templates see. */
    readonly now: Date;
    readonly tools: RunTools;
    readonly loops: Pick<RunLoops, "list">;
    readonly tracer?: Tracer;
    /** Of the model; null where it is not known. */
    readonly vocabSize: number | null;
    /** Further prompts for the step at hand; null where none can be had. */
    readonly refill: ((count: number) => Promise<void>) | null;
  },
  cleanups: (() => Promise<void>)[],
): Promise<SamplingParts> {
  const { config, services, logger } = scope;
  const { registries } = services;
  const { model, rollout } = config.actor_rollout_ref;
  const { sampler, trainer_mode } = config.trainer.v1;
  const { storage_backend, capacity_megabytes, engine_kwargs } = config.transfer_queue.backend;

  const modelType = model.path === null ? null : await modelTypeOf(path.resolve(scope.cwd, model.path));
  const findAgentLoop = await needs.loops.list.finder((loops) =>
    openLoopThreads(scope, { loops, now: needs.now, modelType, media: needs.media }, cleanups),
  );
  findAgentLoop(rollout.agent.default_agent_loop);
  const toolParser = registries.toolParsers.require(rollout.multi_turn.format);
  const tools = await needs.tools.of(rollout.multi_turn);
  const interactions = await loadInteractions({
    configPath: rollout.multi_turn.interaction_config_path,
    cwd: scope.cwd,
    loadUserModule: services.loadUserModule,
  });
  const ownSampler = await userPart<ReplayBufferOptions, ReplayBuffer>(services, sampler.custom_sampler, {
    key: "trainer.v1.sampler.custom_sampler",
    methods: ["sample"],
  });
  const kwargs = engine_kwargs[storage_backend];
  const queue = await registries.transferQueues.require(storage_backend).create({
    capacityBytes: capacity_megabytes * 2 ** 20,
    extra: typeof kwargs === "object" && kwargs !== null ? { ...kwargs } : {},
  });
  cleanups.push(() => queue.close());

  const servers = await createRollout(scope, needs, cleanups);
  const manager = await createAgentLoopManager(managerSource(scope), {
    config,
    client: servers.client,
    tokenizer: needs.tokenizer,
    media: needs.media,
    queue,
    rewardManager: needs.rewards.streaming,
    findAgentLoop,
    tools,
    interactions,
    toolParser,
    modelType,
    tracer: needs.tracer,
    logger,
    seed: rollout.seed,
    vocabSize: needs.vocabSize ?? undefined,
  });
  cleanups.push(async () => manager.dispose?.());
  needs.tracer?.observe?.(() => runGauges(manager, servers.replicas));
  const replay = await (ownSampler ?? registries.replayBuffers.require(trainer_mode)).create({
    queue,
    trainerMode: trainer_mode,
    maxOffPolicyThreshold: sampler.max_off_policy_threshold,
    maxOffPolicyStrategy: sampler.max_off_policy_strategy,
    syncRefillFailedGroups: sampler.sync_refill_failed_groups && needs.refill !== null,
    refill: needs.refill,
    samplerKwargs: sampler.sampler_kwargs,
  });
  const name = rollout.agent.agent_loop_manager_class;
  return { ...servers, queue, replay: namingWaits(replay, { manager, name }), manager };
}
