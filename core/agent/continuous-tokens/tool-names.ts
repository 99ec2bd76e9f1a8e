import { plainText } from "../../data/plain-text.js";
import type { ChatMessage } from "../../data/tokenizer.js";
import { functionOf } from "../../data/tool-call-form.js";

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
    const own = typeof name === "string" && name !== "" ? name : null;
    const byId = typeof id === "string" ? calls.find((call) => call.id === id)?.name : null;
    const byPlace = calls.length === run.length ? calls[place].name : null;
    return {
      name: own ?? byId ?? byPlace,
      callId: typeof id === "string" ? id : `call${String(place).padStart(5, "0")}`,
      text: plainText(content) ?? "",
    };
  });
}

/** Ids and names of an assistant message's calls. */
export function callsOf(message: ChatMessage | undefined): { readonly id: unknown; readonly name: string | null }[] {
  const calls: readonly unknown[] = Array.isArray(message?.tool_calls) ? message.tool_calls : [];
  return calls.map((call) => {
    const { name } = functionOf(call);
    return { id: (call as { id?: unknown } | null)?.id, name: typeof name === "string" ? name : null };
  });
}
