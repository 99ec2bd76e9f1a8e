import { plainText } from "../../data/plain-text.js";
import type { ChatMessage } from "../../data/tokenizer.js";

/** A tool result with the name of the function that gave it. */
export interface NamedTool {
  readonly name: string | null;
  /** Id of its call; made up where the message has none. */
  readonly callId: string;
  readonly text: string;
}

/**
 * The names of a run of tool messages: each message's own, else that of the call with its id in the assistant message before,
 * else that of the call in its place if there are as many calls as results, else null.
 */
export function nameTools(run: readonly ChatMessage[], before: readonly ChatMessage[]): NamedTool[] {
  const calls = callsOf(before.findLast(({ role }) => role === "assistant"));
  return run.map(({ name, tool_call_id: id, content }, place) => {
    const own = typeof name === "string" && name !== "" ? name : undefined;
    const byId = typeof id === "string" ? calls.find((call) => call.id === id)?.name : undefined;
    const byPlace = calls.length === run.length ? calls[place].name : undefined;
    return {
      name: own ?? byId ?? byPlace ?? null,
      callId: typeof id === "string" ? id : `call${String(place).padStart(5, "0")}`,
      text: plainText(content) ?? "",
    };
  });
}

function callsOf(message: ChatMessage | undefined): { readonly id?: string; readonly name?: string }[] {
  const calls = Array.isArray(message?.tool_calls) ? (message.tool_calls as readonly unknown[]) : [];
  return calls.map((call) => {
    const { id, name, function: fn } = (call ?? {}) as { id?: string; name?: string; function?: { name?: string } };
    return { id, name: fn?.name ?? name };
  });
}
