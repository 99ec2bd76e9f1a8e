import type { RunConfig } from "../config/run-config.js";
import type { Tokenizer } from "../data/tokenizer.js";
import type { Logger } from "../host/types.js";
import type { RewardManager } from "../reward/reward.js";
import type { LlmClient } from "../rollout/rollout.js";
import type { TransferQueue } from "../transfer/transfer-queue.js";
import type { AgentLoopFactory, AgentLoopManager } from "./agent-loop.js";

/** What the built-in manager and its replacements are made from. */
export interface AgentLoopManagerOptions {
  readonly config: RunConfig;
  readonly client: LlmClient;
  readonly tokenizer: Tokenizer;
  readonly queue: TransferQueue;
  /**
   * With retries and the policy `zero` applied (`withErrorPolicy`); the manager carries out `fail` and `drop_group`. Null:
   * rewards are computed later by the trainer.
   */
  readonly rewardManager: RewardManager | null;
  readonly findAgentLoop: (name: string) => AgentLoopFactory;
  readonly logger: Logger;
  /** Run seed, part of every random key. */
  readonly seed: number;
}

/** Registered by name; `rollout.agent.agent_loop_manager_class` picks one. */
export interface AgentLoopManagerFactory {
  readonly name: string;
  create(options: AgentLoopManagerOptions): AgentLoopManager;
}
