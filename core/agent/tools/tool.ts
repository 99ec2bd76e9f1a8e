import type { Row } from "../../data/rows/row.js";
import type { ChatContentPart } from "../../data/tokenizer.js";
import type { Awaitable, JsonValue } from "../../host/types.js";
import { isObject } from "../../host/util/plain-object.js";

/** JSON object, e.g. a call's arguments. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** An OpenAI function tool: what the model is shown. `parameters` is a JSON schema of the arguments object. */
export interface ToolSchemaDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: JsonObject;
  };
}

/** What a call gives back. */
export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  /**
   * Content parts before the text: `{type: "image", image: …}`, likewise of `video` and `audio`, with bytes, base64 or a data URL.
   * A model that does not understand the kind ends the session with `VERL_AGENT_MEDIA`; one that cannot be read fails the call.
   */
  readonly media?: readonly ChatContentPart[];
  /** The call failed, and the text says why: counted as `failed`. Its reward is 0 where none is given. */
  readonly isError?: boolean;
  /** Goes to `extraFields.tool_rewards`. */
  readonly reward?: number;
  /** Summed over the trajectory under `tool/<name>/<metric>`. */
  readonly metrics?: Readonly<Record<string, number>>;
}

/** What the calls of one trajectory share. */
export interface ToolSession {
  readonly trajectoryId: string;
  readonly row: Row;
  /** A tool's own notes from one call to the next; gone with the trajectory. */
  readonly state: Map<string, unknown>;
}

/**
 * A tool. One object serves all calls of a run, at the same time too. A call is `create`, `execute`, `release`, under an
 * instance id of its own; `release` is called whatever happened in between.
 */
export interface Tool {
  readonly name: string;
  readonly schema: ToolSchemaDefinition;
  /**
   * Resolves when a call may begin: a rate that is limited, a place that is taken. The call's deadline begins afterwards;
   * the function that it gives is called when the call has ended.
   * @param signal  aborted with the prompt
   */
  admit?(signal: AbortSignal): Awaitable<() => void>;
  /** @param createKwargs  `tools_kwargs.<name>.create_kwargs` of the row */
  create?(instanceId: string, createKwargs: JsonObject, session: ToolSession): Awaitable<void>;
  /** @param signal  aborted at the call's deadline, and with the prompt; what comes later is dropped */
  execute(instanceId: string, args: JsonObject, signal: AbortSignal, session: ToolSession): Awaitable<ToolResult>;
  /** The reward of an instance. Not called by the built-in loop, which takes rewards from results. */
  calcReward?(instanceId: string): Awaitable<number>;
  release?(instanceId: string): Awaitable<void>;
}

/** A start for stateful tools. `config` and `schema` are those of the entry in `tool_config_path`. */
export abstract class BaseTool implements Tool {
  constructor(
    readonly config: JsonObject,
    readonly schema: ToolSchemaDefinition,
  ) {}

  get name(): string {
    return this.schema.function.name;
  }

  create(_instanceId: string, _createKwargs: JsonObject, _session: ToolSession): Awaitable<void> {}

  abstract execute(
    instanceId: string,
    args: JsonObject,
    signal: AbortSignal,
    session: ToolSession,
  ): Awaitable<ToolResult>;

  calcReward(_instanceId: string): Awaitable<number> {
    return 0;
  }

  release(_instanceId: string): Awaitable<void> {}
}

/** The first thing that keeps a value from being a tool, or null. */
export function whyNoTool(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return "no object";
  const { schema, execute } = value as Partial<Tool>;
  if (typeof execute !== "function") return "an object without a method execute";
  if (typeof schema?.function?.name !== "string" || schema.function.name === "") {
    return "a tool without a schema {type: function, function: {name, …}}";
  }
  const { parameters } = schema.function;
  if (parameters != null && !isObject(parameters)) return "a tool whose parameters are no JSON schema";
  // Asked for last: a BaseTool takes it from the schema.
  const { name } = value as Partial<Tool>;
  return name === schema.function.name ? null : `a tool named ${name} with a schema named ${schema.function.name}`;
}
