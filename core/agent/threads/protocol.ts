import type { MediaKind } from "../../data/media/media.js";
import type { PreparedMedia } from "../../data/media/media-tokens.js";
import type { Row } from "../../data/rows/row.js";
import type { ChatMessage } from "../../data/tokenizer.js";
import type { Logger } from "../../host/types.js";
import type { GenerateRequest, SamplingParams } from "../../rollout/rollout.js";
import type { SpanNews } from "../../tracing/index.js";
import type { MultiTurnSettings } from "../agent-loop.js";
import type { JsonObject, ToolSchemaDefinition } from "../tools/tool.js";

/** What a thread needs to know before it can run agent loops. Plain data. */
export interface ThreadTask {
  /** Of the thread, for messages. */
  readonly name: string;
  readonly loops: readonly ThreadedLoop[];
  readonly tokenizer: { readonly path: string; readonly chatTemplate: string | null };
  /** The time that chat templates see, milliseconds since 1970. */
  readonly now: number;
  readonly modelType: string | null;
  /** Registered name. */
  readonly toolParser: string;
  readonly promptLength: number;
  readonly responseLength: number;
  readonly applyChatTemplateKwargs: Readonly<Record<string, unknown>>;
  readonly multiTurn: MultiTurnSettings;
  readonly seed: number;
  /** Registered names of the run's tracers. */
  readonly tracers: readonly string[];
  readonly media: MediaMarks;
}

/** What is to be known of the model's media before any is there. */
export interface MediaMarks {
  readonly kinds: readonly MediaKind[];
  readonly placeholders: ReadonlyMap<number, MediaKind>;
  readonly placeholderTexts: readonly string[];
}

/** Messages that the driver has taken in, and what their media are to the tokenizer; `prepared` by reference. */
export interface TakenInDriver {
  readonly messages: readonly ChatMessage[];
  readonly prepared: ReadonlyMap<string, PreparedMedia>;
}

/** An entry of `agent_loop_config_path` with `thread: true`. */
export interface ThreadedLoop {
  readonly name: string;
  readonly module: string;
  readonly exportName: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One session, for the method `run`. */
export interface ThreadSession {
  /** Names it among all that the thread runs. */
  readonly id: number;
  readonly loop: string;
  readonly trajectoryId: string;
  readonly sampling: SamplingParams;
  readonly tools: readonly { readonly schema: ToolSchemaDefinition; readonly admits: boolean }[];
  readonly interactions: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly messages: readonly ChatMessage[];
  readonly row: Row;
  readonly validate: boolean;
  /** How it tells of its spans; null where nobody listens. */
  readonly trace: { readonly wantsText: boolean } | null;
}

/** What a session in a thread asks the driver for: the model, tools, media and simulated users; and what it tells: spans, and lines in the log. */
export type DriverCalls = {
  generate: InSpan & { readonly request: GenerateRequest };
  mediaBytes: InSpan & { readonly id: string };
  takeMedia: InSpan & { readonly messages: readonly ChatMessage[] };
  tool: InSpan & { readonly name: string; readonly call: ToolStep };
  interaction: InSpan & { readonly name: string; readonly call: InteractionStep };
  span: { readonly session: number; readonly event: SpanNews };
  /** Told before the session's loop is made: until then another thread may take it. */
  begun: { readonly session: number };
  log: { readonly level: keyof Logger; readonly message: string };
};

interface InSpan {
  readonly session: number;
  /** The session's span that it is asked in; null: none of the thread's. */
  readonly span: number | null;
}

/** `admit` gives a ticket, which `leave` gives back. */
export type ToolStep =
  | { readonly step: "admit" }
  | { readonly step: "leave"; readonly ticket: number }
  | { readonly step: "create"; readonly instanceId: string; readonly createKwargs: JsonObject }
  | { readonly step: "execute"; readonly instanceId: string; readonly args: JsonObject }
  | { readonly step: "reward" | "release"; readonly instanceId: string };

export type InteractionStep =
  | { readonly step: "start" | "score" | "finalize"; readonly instanceId: string; readonly kwargs: JsonObject }
  | {
      readonly step: "respond";
      readonly instanceId: string;
      readonly kwargs: JsonObject;
      readonly messages: readonly ChatMessage[];
    };
