import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatMessage } from "verl-ts";
import type { ParsedTurn } from "verl-ts/plugin";

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

/** LangChain's message as the chat template takes it. */
export function chatMessage(message: BaseMessage): ChatMessage {
  const role = ROLES[message.getType()];
  if (role === undefined) throw new TypeError(`a message of the type ${message.getType()} has no role`);
  if (ToolMessage.isInstance(message)) return { role, content: message.text, tool_call_id: message.tool_call_id };
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  if (calls.length === 0) return { role, content: message.text };
  return {
    role,
    content: message.text,
    tool_calls: calls.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
}

/** A turn of the model as LangChain's message. Calls that cannot be read are kept apart, so that the graph may answer them. */
export function aiMessage(turn: ParsedTurn, idOf: (call: number) => string, stopReason: string): AIMessage {
  const calls = turn.calls.map(({ name, arguments: text, id }, i) => ({
    name,
    args: JSON.parse(text) as Record<string, unknown>,
    id: id ?? idOf(i),
    type: "tool_call" as const,
  }));
  return new AIMessage({
    content: turn.content,
    tool_calls: calls,
    invalid_tool_calls: turn.errors.map(({ name, text, message }) => ({
      ...(name === null ? {} : { name }),
      args: text,
      error: message,
      type: "invalid_tool_call" as const,
    })),
    response_metadata: { finish_reason: stopReason },
  });
}
