import { inUserCode } from "../../host/blocking/user-code.js";
import { isA, reasonOf } from "../../host/errors.js";
import { withDeadline } from "../../host/util/deadline.js";
import { isObject } from "../../host/util/plain-object.js";
import { isScore, namedScore } from "../../reward/index.js";
import { abortable, inTime, settled } from "../abortable.js";
import { BadToolArguments } from "./bad-arguments.js";
import type { JsonObject, Tool, ToolResult, ToolSession } from "./tool.js";

/** A call that did not get a result; the message is for the model. */
export class ToolCallFailed extends Error {
  constructor(
    readonly outcome: "failed" | "timeout" | "bad_arguments",
    message: string,
  ) {
    super(message);
  }
}

/** What the model reads of arguments that do not fit. */
export const misfit = (tool: string, why: string) => `Error: the arguments of "${tool}" do not fit: ${why}`;

export interface ToolUse {
  readonly instanceId: string;
  readonly args: JsonObject;
  readonly createKwargs: JsonObject;
  readonly session: ToolSession;
  readonly deadlineMs: number;
  /** The session's: what it aborts with is thrown as it is. */
  readonly signal: AbortSignal;
  /** Told of a tool that cannot be released. */
  readonly onReleaseFailed: (why: string) => void;
}

/**
 * Create, execute and release an instance of a tool, with one deadline for the first two, once the tool admits the call. What is
 * still being created when that has passed is released afterwards.
 */
export async function useTool(tool: Tool, use: ToolUse): Promise<ToolResult> {
  const leave = await admitted(tool, use.signal);
  try {
    return await created(tool, use);
  } finally {
    try {
      if (typeof leave === "function") leave();
    } catch (error) {
      use.onReleaseFailed(reasonOf(error));
    }
  }
}

async function admitted(tool: Tool, signal: AbortSignal): Promise<(() => void) | null> {
  if (!tool.admit) return null;
  try {
    return await abortable(
      settled(() => tool.admit?.(signal) ?? null),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolCallFailed("failed", `Error: the tool "${tool.name}" failed: ${reasonOf(error)}`);
  }
}

async function created(tool: Tool, use: ToolUse): Promise<ToolResult> {
  const { instanceId, args, createKwargs, session, deadlineMs } = use;
  const seconds = deadlineMs / 1000;
  const late = new ToolCallFailed("timeout", `Error: the tool "${tool.name}" did not answer within ${seconds} s.`);
  let creating: Promise<void> = Promise.resolve();
  const call = async (signal: AbortSignal) => {
    creating = settled(() => tool.create?.(instanceId, createKwargs, session));
    await creating;
    signal.throwIfAborted();
    return tool.execute(instanceId, args, signal, session);
  };
  const work = (signal: AbortSignal) => inUserCode(labelOf(tool, use), () => call(signal));
  try {
    return checked(tool, await inTime(work, { signal: use.signal, deadlineMs, late }));
  } catch (error) {
    use.signal.throwIfAborted();
    if (isA(error, ToolCallFailed)) throw error;
    if (isA(error, BadToolArguments)) throw new ToolCallFailed("bad_arguments", misfit(tool.name, reasonOf(error)));
    throw new ToolCallFailed("failed", `Error: the tool "${tool.name}" failed: ${reasonOf(error)}`);
  } finally {
    await release(tool, creating, use);
  }
}

const labelOf =
  (tool: Tool, { instanceId }: ToolUse) =>
  () =>
    `the tool "${tool.name}", call ${instanceId}`;

async function release(tool: Tool, creating: Promise<void>, use: ToolUse): Promise<void> {
  if (!tool.release) return;
  const { instanceId, deadlineMs, onReleaseFailed } = use;
  const late = () => new Error(`it took longer than ${deadlineMs / 1000} s`);
  // One that is never created is released all the same.
  await withDeadline(creating, deadlineMs, late).catch(() => {});
  try {
    await withDeadline(
      settled(() => inUserCode(labelOf(tool, use), () => tool.release?.(instanceId))),
      deadlineMs,
      late,
    );
  } catch (error) {
    onReleaseFailed(reasonOf(error));
  }
}

/** What a tool returned, read once: getters of its own may give something else the next time. */
function checked(tool: Tool, result: ToolResult): ToolResult {
  const fail = (what: string) => new ToolCallFailed("failed", `Error: the tool "${tool.name}" failed: ${what}`);
  if (typeof result?.text !== "string") throw fail("it returned no text");
  const { text, media, isError, reward, metrics } = result;
  if (media != null && !Array.isArray(media)) throw fail("its media are no list");
  if (metrics != null && !isObject(metrics)) throw fail("its metrics are no object");
  const isOver = typeof reward === "number" && Number.isFinite(reward) && !isScore(reward);
  if (isOver) throw fail(`its reward is ${namedScore(reward)}`);
  const numbers: unknown[] = [...(reward == null ? [] : [reward]), ...Object.values(metrics ?? {})];
  if (!numbers.every(Number.isFinite)) throw fail("its reward or a metric is no finite number");
  return {
    text,
    ...(media == null ? {} : { media }),
    ...(isError ? { isError: true } : {}),
    ...(reward == null ? {} : { reward }),
    ...(metrics == null ? {} : { metrics: { ...metrics } }),
  };
}
