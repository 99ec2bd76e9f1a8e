import type { RunConfig } from "../../config/run-config.js";
import type { MediaIntake } from "../../data/media/run-media.js";
import type { Tokenizer } from "../../data/tokenizer.js";
import type { Awaitable, Logger } from "../../host/types.js";
import type { RewardManager } from "../../reward/reward.js";
import type { LlmClient } from "../../rollout/rollout.js";
import type { Tracer } from "../../tracing/tracer.js";
import type { TransferQueue } from "../../transfer/transfer-queue.js";
import type { AgentLoopFactory, AgentLoopManager } from "../agent-loop.js";
import type { InteractionSet } from "../interactions/load-interactions.js";
import type { ToolParser } from "../tool-parsers/tool-parser.js";
import type { ToolSet } from "../tools/tool-set.js";

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
  /** All tools of the run. */
  readonly tools: ToolSet;
  /** Simulated users by name; none where it is left out. */
  readonly interactions?: InteractionSet;
  /** The one that `rollout.multi_turn.format` names. */
  readonly toolParser: ToolParser;
  /** Hugging Face's `model_type`, which tells how turns meet; null if the model has none. */
  readonly modelType: string | null;
  /** Takes in the media of prompts and tools; where it is left out, text alone is understood. */
  readonly media?: MediaIntake;
  /** Told what sessions do; none where it is left out. */
  readonly tracer?: Tracer;
  readonly logger: Logger;
  /** Run seed, part of every random key. */
  readonly seed: number;
  /** Of the model: a trajectory with a token that it cannot have fails its session. Left out where it is not known. */
  readonly vocabSize?: number;
}

/** Registered by name; `rollout.agent.agent_loop_manager_class` picks one. */
export interface AgentLoopManagerFactory {
  readonly name: string;
  /** Every trajectory that it stores has a score: no row needs a scorer. */
  readonly scoresItself?: boolean;
  create(options: AgentLoopManagerOptions): Awaitable<AgentLoopManager>;
}
