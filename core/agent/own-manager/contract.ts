import type { RunConfig } from "../../config/run-config.js";
import type { Row } from "../../data/rows/row.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import type { Awaitable, Logger } from "../../host/types.js";
import type { RewardManager } from "../../reward/reward.js";
import type { LlmClient, SamplingParams } from "../../rollout/rollout.js";
import type { TransferQueue } from "../../transfer/transfer-queue.js";
import type { AgentLoopOutput, EncodedPrompt, PromptTools } from "../agent-loop.js";
import type { LoopMedia } from "../loops/loop-media.js";

/** What `create` of a manager of one's own gets. Accept members that you do not know; throw for what you do not support. */
export interface SequenceManagerOptions {
  readonly config: RunConfig;
  /** Tokens in, tokens out. Servers, weights and their versions are the trainer's business. */
  readonly llmClient: LlmClient;
  /** For distillation; null where a run has no teacher. */
  readonly teacherClient: LlmClient | null;
  /** What scores trajectories; empty where the trainer does it later. */
  readonly rewardLoopWorkerHandles: readonly RewardManager[];
  /** For a manager that stores its trajectories itself. */
  readonly transferQueue: TransferQueue;
  readonly tokenizer: Tokenizer;
  readonly logger: Logger;
  readonly seed: number;
}

/** The export that `rollout.agent.agent_loop_manager_class` names: a class with a static `create`, or an object with one. */
export interface SequenceManagerClass {
  /** What is delivered always has a `rewardScore`: no row needs a scorer. */
  readonly scoresItself?: boolean;
  create(options: SequenceManagerOptions): Awaitable<SequenceManager>;
}

/** A manager of one's own. */
export interface SequenceManager {
  /**
   * Begin with these prompts. Whether it returns at once or when they have ended, nobody waits for it; every prompt must come to
   * an end, by `deliver` and `fail` of its sessions, or by a terminal status in the queue. A rejection fails what is left.
   */
  generateSequences(prompts: PromptBatch): Awaitable<void>;
  /** The run has ended. */
  dispose?(): Awaitable<void>;
}

export interface PromptBatch {
  readonly partition: "train" | "val";
  readonly validate: boolean;
  readonly globalSteps: number;
  readonly prompts: readonly ManagedPrompt[];
  /** Aborted when the prompts are cancelled; what comes later is dropped. */
  readonly signal: AbortSignal;
}

/** A prompt on its way through a manager of one's own. Its key in the queue, tagged `pending`, is the uid. */
export interface ManagedPrompt {
  readonly uid: string;
  /** Number of the prompt among those handed out since the run began. */
  readonly draw: number;
  /** Grows when the prompt is issued again, after its rows have been removed: generation must be safe to repeat. */
  readonly attempt: number;
  readonly row: Row;
  readonly messages: readonly ChatMessage[];
  /** How many sessions are wanted. */
  readonly sessions: number;
  /** To be used as they are. */
  readonly sampling: SamplingParams;
  /**
   * Tokens of the prompt as a loop would send them, its media among them; other messages than the prompt's may be given. What comes
   * back as `media` goes into the request and, with those of later turns, into the output's `multiModalData`. Each list of messages is
   * encoded once.
   *
   * @throws VERL_DATA_PROMPT_TOO_LONG for a prompt with media that is too long, VERL_DATA_NO_PROCESSOR for media that the model does
   *         not understand
   */
  preparePrompt(messages?: readonly ChatMessage[], options?: PromptTools): Promise<EncodedPrompt>;
  /** Media of later turns, and the bytes of all of them. */
  readonly media: LoopMedia;
  /**
   * Hand a session's trajectories over: they are checked, scored and stored, and when every session has ended the prompt has.
   * Each session is delivered or failed once.
   */
  deliver(session: number, outputs: AgentLoopOutput | readonly AgentLoopOutput[]): void;
  fail(session: number, error: unknown): void;
}
