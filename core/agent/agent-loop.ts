import type { PlacedMedia } from "../data/media/media.js";
import type { Row } from "../data/rows/row.js";
import type { ChatMessage, Tokenizer } from "../data/tokenizer.js";
import type { Awaitable, JsonValue, Logger } from "../host/types.js";
import type { LlmClient, SamplingParams, VersionRun } from "../rollout/rollout.js";
import type { Tracer } from "../tracing/tracer.js";
import type { TurnEncoder } from "./continuous-tokens/turn-encoder.js";
import type { InteractionSet } from "./interactions/load-interactions.js";
import type { LoopMedia } from "./loops/loop-media.js";
import type { ToolParser } from "./tool-parsers/tool-parser.js";
import type { ToolCallLimits } from "./tools/tool-executor.js";
import type { ToolSet } from "./tools/tool-set.js";

/** Seconds spent per phase of a trajectory; `numPreempted` −1 = unknown. A loop may add numbers of its own. */
export interface AgentLoopMetrics {
  readonly generateSequences: number;
  readonly toolCalls: number;
  readonly computeScore: number;
  readonly numPreempted: number;
  readonly [name: string]: number;
}

/** `rollout.multi_turn`. */
export interface MultiTurnSettings {
  /** Turns of the model, and rounds of tool results; infinite where there is no limit. */
  readonly maxAssistantTurns: number;
  readonly maxUserTurns: number;
  /** Tokens of one turn of the model; infinite where there is no limit but that of the response. */
  readonly maxTurnTokens: number;
  /** Calls honoured per turn of the model. */
  readonly maxParallelCalls: number;
  readonly toolCalls: ToolCallLimits;
  /** Longest time that a simulated user may take for an answer. */
  readonly interactionDeadlineMs: number;
}

/** One trajectory: tokens, not text. Lengths of the response lists are equal. */
export interface AgentLoopOutput {
  readonly promptIds: readonly number[];
  /** Sampled tokens and whatever tools and users put between them. */
  readonly responseIds: readonly number[];
  /** 1 = sampled by the policy, 0 = everything else. */
  readonly responseMask: readonly (0 | 1)[];
  /** Tempered log-probabilities; 0 where the mask is 0. Null when the server gave none: the row can be scored, not trained. */
  readonly responseLogProbs: readonly number[] | null;
  /** Media among prompt and response, in their order; offsets count from the prompt's first token. */
  readonly multiModalData?: readonly PlacedMedia[];
  /** A loop may score itself; the reward loop is then skipped. */
  readonly rewardScore?: number;
  readonly numTurns: number;
  readonly stopReason: string;
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
  /** Which weights drew which sampled response token; in order. Left out where servers know the span alone. */
  readonly weightVersions?: readonly VersionRun[] | null;
  readonly metrics: AgentLoopMetrics;
  /** Free-form; reserved names are listed in the agent guide. */
  readonly extraFields: Readonly<Record<string, unknown>>;
}

export interface PromptTools {
  /** Schemas that the prompt shows. */
  readonly tools?: readonly JsonValue[];
}

/** A prompt, ready to be sent. */
export interface EncodedPrompt {
  /** With media as references. */
  readonly messages: readonly ChatMessage[];
  readonly promptIds: readonly number[];
  /** For `GenerateRequest.media`. */
  readonly media: readonly PlacedMedia[];
}

/** What a loop gets for one sample. A fresh loop object is made per sample. */
export interface AgentLoopContext {
  readonly client: LlmClient;
  readonly tokenizer: Tokenizer;
  readonly promptLength: number;
  readonly responseLength: number;
  /** Names the trajectory: use it as `requestId` so that draws are reproducible. */
  readonly trajectoryId: string;
  readonly seed: number;
  readonly sampling: SamplingParams;
  readonly applyChatTemplateKwargs: Readonly<Record<string, unknown>>;
  /**
   * Tokens of a prompt, generation prompt included: the chat template with `applyChatTemplateKwargs`, at most
   * `promptLength` tokens (a longer prompt loses its beginning, with a warning). Encoded once for all sessions of a prompt. For
   * text alone: `VERL_AGENT_MEDIA` where messages hold media.
   */
  encodePrompt(messages: readonly ChatMessage[], options?: PromptTools): readonly number[];
  /**
   * The same of messages that may hold media, whose tokens are among the prompt's. One that is too long then is refused
   * (`VERL_DATA_PROMPT_TOO_LONG`), not cut.
   */
  preparePrompt(messages: readonly ChatMessage[], options?: PromptTools): Promise<EncodedPrompt>;
  /** Media of later turns. */
  readonly media: LoopMedia;
  /** The tools that this row may use: those of its `extra_info.tool_selection`, or all of the run. */
  readonly tools: ToolSet;
  /** Simulated users by name: those of `multi_turn.interaction_config_path`. */
  readonly interactions: InteractionSet;
  /** The one that `multi_turn.format` names. */
  readonly toolParser: ToolParser;
  /** For a {@link ContinuousTokenBuilder}; made once for a list of tools. */
  turnEncoder(tools: readonly JsonValue[]): TurnEncoder;
  readonly multiTurn: MultiTurnSettings;
  /** Section `agent.loops.<name>`, or the entry of `agent_loop_config_path`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** For spans of the loop's own; those of turns and tool calls are there. */
  readonly tracer?: Tracer;
  readonly logger: Logger;
}

/** The dataset row as the loop sees it: `messages` plus every other column. */
export interface AgentLoopInput {
  readonly messages: readonly ChatMessage[];
  readonly row: Row;
  readonly validate: boolean;
}

/** Multi-turn behaviour: one sample in, one or more trajectories out (several after context compression). */
export interface AgentLoop {
  run(input: AgentLoopInput): Promise<AgentLoopOutput | readonly AgentLoopOutput[]>;
}

/** What is to be known of a loop before it runs: fields of its factory, static members of its class. */
export interface AgentLoopMarks {
  /** Its last output always has a `rewardScore`: rows that it runs need no scorer. */
  readonly scoresItself?: boolean;
  /** False: its prompts show no tools, so that none count towards their length. Default true. */
  readonly rendersTools?: boolean;
}

/** Registered under an agent name; a row's `agent_name` column or the default picks it. */
export interface AgentLoopFactory extends AgentLoopMarks {
  readonly name: string;
  /** Further names that it is found by. */
  readonly aliases?: readonly string[];
  create(context: AgentLoopContext): Awaitable<AgentLoop>;
}

/** A prompt handed to the manager. `draw` counts the prompts handed out since the run began. */
export interface PromptTask {
  readonly uid: string;
  readonly draw: number;
  readonly row: Row;
  readonly messages: readonly ChatMessage[];
  readonly attempt: number;
  /** Overrides of a single row: sessions, and greedy decoding for baselines. */
  readonly sessions?: number;
  readonly greedy?: boolean;
}

/** A session in flight, and what it waits for: a place, its agent loop, the inference server, the reward. */
export interface SessionWait {
  /** `{uid}_{session}`. */
  readonly key: string;
  /** `file:line` of the prompt, or empty. */
  readonly origin: string;
  readonly waitsFor: string;
  /** For how long. */
  readonly seconds: number;
}

/** Dispatches prompts to workers. Returns when the work is accepted; results arrive through the queue. */
export interface AgentLoopManager {
  submit(
    tasks: readonly PromptTask[],
    options: { partition: "train" | "val"; globalStep: number; signal?: AbortSignal },
  ): Promise<void>;
  /** Resolves when nothing is running; rejects with the first unexpected error of a worker. */
  drain(): Promise<void>;
  /** Abort what is running; prompts end as `failure`. */
  cancel(reason: unknown): Promise<void>;
  /** Sessions in flight, the longest wait first; for messages about a run at a standstill. */
  waiting?(): readonly SessionWait[];
  /**
   * Aborted, with the error as its reason, as soon as the run cannot go on: an unexpected error of a worker, or a reward
   * that failed under the policy `fail`. Whoever waits for trajectories passes it on.
   */
  readonly failed?: AbortSignal;
  /** The run has ended; nothing is in flight. */
  dispose?(): Promise<void>;
}
