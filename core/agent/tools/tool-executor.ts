import type { ChatMessage } from "../../data/tokenizer.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import type { JsonValue, Logger } from "../../host/types.js";
import { above, aText, from, type OptionForms, requireOptions } from "../../host/util/given-options.js";
import { ownCopy } from "../../host/util/own-copy.js";
import { noTracer, type Tracer } from "../../tracing/index.js";
import { agentErrors } from "../errors.js";
import type { LoopMedia } from "../loops/loop-media.js";
import { truncateToolResponse } from "../prompts/truncate-tool-response.js";
import { tracedCall } from "../sessions/trace.js";
import { misfit, ToolCallFailed, useTool } from "./execute-call.js";
import type { RequestedCall } from "./requested-call.js";
import { takeMediaOf } from "./result-media.js";
import type { JsonObject, ToolResult, ToolSession } from "./tool.js";
import type { ToolSet } from "./tool-set.js";

/** How tools are called: `rollout.multi_turn.*`. */
export interface ToolCallLimits {
  /** Longest time of one call. */
  readonly deadlineMs: number;
  /** Longest text of a result, in characters; a longer one is shortened on this side. */
  readonly maxResponseLength: number;
  readonly truncateSide: string;
}

const LIMITS: OptionForms<ToolCallLimits> = {
  deadlineMs: above(0),
  maxResponseLength: from(0),
  truncateSide: aText,
};

/** How a call ended. All but `ok` are errors that the model reads; none ends the trajectory. */
export type ToolOutcome = "ok" | "unknown_tool" | "bad_arguments" | "failed" | "timeout" | "cut_off";

export interface ToolCallRecord {
  readonly tool: string;
  readonly outcome: ToolOutcome;
  /** The tool message, with the id of its call where that has one. */
  readonly message: ChatMessage;
  /** 0 for an error; null if the tool gave none. */
  readonly reward: number | null;
  readonly metrics: Readonly<Record<string, number>>;
  readonly truncated: boolean;
}

/** Runs the calls of one trajectory. */
export class ToolExecutor {
  #instances = 0;
  /** Tools see the row that it is from, and may change it. */
  readonly #toolsKwargs: JsonObject;

  constructor(
    private readonly tools: ToolSet,
    private readonly limits: ToolCallLimits,
    private readonly scope: {
      readonly session: ToolSession;
      /** `tools_kwargs` of the row. */
      readonly toolsKwargs: JsonObject;
      readonly signal: AbortSignal;
      readonly logger: Pick<Logger, "warn">;
      /**
       * Takes in what tools return: `AgentLoopContext.media` of a loop that builds tokens of media. Parts come before the text, as
       * references. By default they are refused.
       */
      readonly media?: LoopMedia;
      /** In place of `media`: parts go on as they came, for a loop that does with them what it likes. */
      readonly takesMedia?: boolean;
      readonly tracer?: Tracer;
    },
  ) {
    requireOptions<ToolCallLimits>("the limits of a ToolExecutor", limits, LIMITS);
    this.#toolsKwargs = ownCopy(scope.toolsKwargs);
  }

  /**
   * All calls at the same time; one record for each, in their order. Rejects when the signal aborts, or for media that cannot be
   * taken: when all calls have ended.
   */
  async run(calls: readonly RequestedCall[]): Promise<ToolCallRecord[]> {
    const { tracer = noTracer } = this.scope;
    const all = calls.map((call) =>
      tracedCall(tracer, call, this.tools.find(call.name) !== null, () => this.#run(call)),
    );
    await Promise.allSettled(all);
    return Promise.all(all);
  }

  /** The records of calls of a turn that was cut off: none of them is executed. */
  refuse(calls: readonly RequestedCall[]): ToolCallRecord[] {
    const text = "Error: the turn was cut off by its length limit, so its calls were not executed.";
    return calls.map((call) => this.#error(call, "cut_off", text));
  }

  async #run(call: RequestedCall): Promise<ToolCallRecord> {
    if (call.problem !== null) return this.#error(call, "bad_arguments", `Error: ${call.problem}`);
    const tool = this.tools.find(call.name);
    if (!tool) {
      const { names } = this.tools;
      const known = names.length > 0 ? `Available tools: ${names.join(", ")}.` : "There are no tools.";
      return this.#error(call, "unknown_tool", `Error: there is no tool "${call.name}". ${known}`);
    }
    const args = objectOf(call.arguments);
    if (typeof args === "string") {
      return this.#error(call, "bad_arguments", `Error: the arguments of "${call.name}" are no JSON object: ${args}`);
    }
    const why = this.tools.check(call.name, args);
    if (why !== null) return this.#error(call, "bad_arguments", misfit(call.name, why));
    const { session, signal, logger } = this.scope;
    try {
      const result = await useTool(tool, {
        instanceId: `${session.trajectoryId}_${this.#instances++}`,
        args,
        createKwargs: ownCopy(member(member(this.#toolsKwargs, call.name), "create_kwargs")),
        session,
        deadlineMs: this.limits.deadlineMs,
        signal,
        onReleaseFailed: (why) => logger.warn(`the tool "${call.name}" could not be released: ${why}`),
      });
      return this.#record(call, result.isError ? "failed" : "ok", await this.#taken(call.name, result));
    } catch (error) {
      if (error instanceof ToolCallFailed) return this.#error(call, error.outcome, error.message);
      throw error;
    }
  }

  async #taken(tool: string, result: ToolResult): Promise<ToolResult> {
    const { media, takesMedia = false } = this.scope;
    if (media) {
      return takeMediaOf(`the tool "${tool}"`, result, media).catch((error: unknown) => {
        if (isVerlError(error)) throw error;
        throw new ToolCallFailed("failed", `Error: the tool "${tool}" failed: ${reasonOf(error)}`);
      });
    }
    if (!result.media?.length || takesMedia) return result;
    throw agentErrors.VERL_AGENT_MEDIA({ what: `the tool "${tool}" returned media` });
  }

  #error(call: RequestedCall, outcome: ToolOutcome, text: string): ToolCallRecord {
    return this.#record(call, outcome, { text, isError: true });
  }

  #record(call: RequestedCall, outcome: ToolOutcome, result: ToolResult): ToolCallRecord {
    const { text: whole, media = [], isError = false, reward = isError ? 0 : null, metrics = {} } = result;
    const cut = truncateToolResponse(whole, this.limits.maxResponseLength, this.limits.truncateSide);
    const text = this.scope.media?.plain(cut) ?? cut;
    const content = media.length === 0 ? text : [...media, { type: "text", text }];
    return {
      tool: call.name,
      outcome,
      message: { role: "tool", content, ...(call.id === undefined ? {} : { tool_call_id: call.id }) },
      reward,
      metrics,
      truncated: cut !== whole,
    };
  }
}

/** The object that a JSON text holds, or why it holds none. */
function objectOf(text: string): JsonObject | string {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
    return `they are ${Array.isArray(value) ? "a list" : JSON.stringify(value)}`;
  } catch (error) {
    return reasonOf(error);
  }
}

function member(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : null;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
