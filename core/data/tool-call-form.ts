import { isVerlError, reasonOf } from "../host/errors.js";
import { parseLosslessJson } from "./lossless-json.js";
import { dumpsLikePython } from "./python-json.js";
import type { ChatMessage } from "./tokenizer.js";

/** How a chat template wants the tool calls of a message. */
export interface CallForm {
  /**
   * What it writes arguments from: their JSON text, a mapping, or nothing, where it does not write calls at all. OpenAI's protocol
   * sends text; `arguments|items` and `arguments|tojson` want a mapping.
   */
  readonly arguments: "text" | "mapping" | "none";
  /** The content that a message without text needs so that its calls are written. */
  readonly emptyContent: "" | null;
}

const PROBE = '{"verl_key": "verl_value"}';

/**
 * Find the form by rendering one call both ways. Text, which keeps what the model wrote, where the template writes it as it
 * writes a mapping; a template that knows only one of the two gets that.
 */
export function probeCallForm(render: (messages: readonly ChatMessage[]) => string): CallForm {
  for (const emptyContent of ["", null] as const) {
    const text = attempt(() => render(probeMessages(emptyContent, PROBE)));
    const mapping = attempt(() => render(probeMessages(emptyContent, parseLosslessJson(PROBE))));
    const showsMapping = mapping?.includes("verl_value") === true;
    if (text?.includes(PROBE) && (text === mapping || !showsMapping)) return { arguments: "text", emptyContent };
    if (showsMapping) return { arguments: "mapping", emptyContent };
  }
  return { arguments: "none", emptyContent: "" };
}

function attempt(render: () => string): string | null {
  try {
    return render();
  } catch (error) {
    if (isVerlError(error) && !error.code.startsWith("VERL_DATA_CHAT_TEMPLATE_")) throw error;
    return null;
  }
}

/** The id is one that templates accept which check its length. */
function probeMessages(content: string | null, args: unknown): ChatMessage[] {
  const call = { id: "verlprobe", type: "function", function: { name: "verl_probe", arguments: args } };
  return [
    { role: "user", content: "Hello." },
    { role: "assistant", content, tool_calls: [call] },
  ];
}

/** The messages with every call in this form. Arguments whose text is no JSON object are passed on as they are. */
export function withCallForm(messages: readonly ChatMessage[], form: CallForm): readonly ChatMessage[] {
  if (form.arguments === "none") return messages;
  return messages.map((message) => {
    if (!Array.isArray(message.tool_calls)) return message;
    const content = message.content === "" || message.content === null ? form.emptyContent : message.content;
    return { ...message, content, tool_calls: message.tool_calls.map((call: unknown) => inForm(call, form)) };
  });
}

/** The first call whose arguments are no JSON object, and why; null if there is none. */
export function malformedArguments(messages: readonly ChatMessage[]): { what: string; why: string } | null {
  for (const [i, { tool_calls }] of messages.entries()) {
    for (const [n, call] of (Array.isArray(tool_calls) ? tool_calls : []).entries()) {
      const { name, arguments: args } = functionOf(call);
      const why = typeof args === "string" ? argumentsOf(args).problem : undefined;
      if (why)
        return { what: `message ${i}: the arguments of tool call ${n} (${String(name)}) are no JSON object`, why };
    }
  }
  return null;
}

function inForm(call: unknown, form: CallForm): unknown {
  const fn = functionOf(call);
  let args = fn.arguments;
  if (form.arguments === "mapping" && typeof args === "string") args = argumentsOf(args).mapping ?? args;
  if (form.arguments === "text" && typeof args === "object" && args !== null) args = dumpsLikePython(args);
  if (args === fn.arguments) return call;
  const changed = { ...fn, arguments: args };
  return fn === call ? changed : { ...(call as object), function: changed };
}

/** `{function: {name, arguments}}`, or the same without the wrapper. */
export function functionOf(call: unknown): { readonly name?: unknown; readonly arguments?: unknown } {
  if (typeof call !== "object" || call === null) return {};
  const { function: fn } = call as { function?: unknown };
  return typeof fn === "object" && fn !== null ? fn : call;
}

/** A call without arguments often has an empty text. */
function argumentsOf(text: string): { readonly mapping?: unknown; readonly problem?: string } {
  if (text.trim() === "") return { mapping: new Map() };
  try {
    const value = parseLosslessJson(text);
    return value instanceof Map ? { mapping: value } : { problem: `they are ${dumpsLikePython(value).slice(0, 80)}` };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}
