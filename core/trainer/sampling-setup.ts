import type { AgentLoopManager } from "../agent/agent-loop.js";
import { agentLoopFinder } from "../agent/index.js";
import type { Tokenizer } from "../data/index.js";
import type { RewardManager } from "../reward/index.js";
import type { ReplayBuffer } from "../transfer/replay-buffer.js";
import type { TransferQueue } from "../transfer/transfer-queue.js";
import type { RunScope } from "./input-setup.js";
import { createRollout, type RolloutParts } from "./rollout-setup.js";

/** Room for the trajectories of a step many times over; they are cleared when the step ends. */
const QUEUE_BYTES = 4 * 2 ** 30;

/** Everything between a prompt and its scored trajectories. */
export interface SamplingParts extends RolloutParts {
  readonly queue: TransferQueue;
  readonly replay: ReplayBuffer;
  readonly manager: AgentLoopManager;
}

export async function createSampling(
  scope: RunScope,
  needs: {
    readonly tokenizer: Tokenizer;
    readonly rewards: RewardManager;
    /** Further prompts for the step at hand. */
    readonly refill: ((count: number) => Promise<void>) | null;
  },
  cleanups: (() => Promise<void>)[],
): Promise<SamplingParts> {
  const { config, services, logger } = scope;
  const { registries } = services;
  const { rollout } = config.actor_rollout_ref;
  const { sampler, trainer_mode } = config.trainer.v1;

  const queue = await registries.transferQueues
    .require(config.transfer_queue.backend.storage_backend)
    .create({ capacityBytes: QUEUE_BYTES, extra: {} });
  cleanups.push(() => queue.close());

  const findAgentLoop = await agentLoopFinder({
    configPath: rollout.agent.agent_loop_config_path,
    cwd: scope.cwd,
    registered: (name) => registries.agentLoops.require(name),
    loadUserModule: (reference, exportName) => services.loadUserModule(reference, exportName),
  });
  const servers = await createRollout(scope, needs.tokenizer, cleanups);
  const manager = registries.agentLoopManagers.require(rollout.agent.agent_loop_manager_class ?? "default").create({
    config,
    client: servers.client,
    tokenizer: needs.tokenizer,
    queue,
    rewardManager: needs.rewards,
    findAgentLoop,
    logger,
    seed: rollout.seed,
  });
  const replay = registries.replayBuffers.require(trainer_mode).create({
    queue,
    trainerMode: trainer_mode,
    maxOffPolicyThreshold: sampler.max_off_policy_threshold,
    maxOffPolicyStrategy: sampler.max_off_policy_strategy,
    syncRefillFailedGroups: sampler.sync_refill_failed_groups,
    refill: needs.refill,
    samplerKwargs: sampler.sampler_kwargs,
  });
  return { ...servers, queue, replay, manager };
}
