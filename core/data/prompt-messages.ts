import type { JsonValue } from "../host/types.js";
import { isJsonObject } from "../host/util/plain-object.js";
import { shown } from "../host/util/shown.js";
import type { ChatMessage } from "./tokenizer.js";

/** The messages of a prompt column, or a sentence that says what is wrong with it. */
export type PromptMessages = { readonly messages: readonly ChatMessage[] } | { readonly problem: string };

/** A list of chat messages as it stands, or a text as one user message. */
export function promptMessages(prompt: JsonValue, column: string): PromptMessages {
  if (typeof prompt === "string") {
    return prompt === ""
      ? { problem: `has an empty text in column ${column}` }
      : { messages: [{ role: "user", content: prompt }] };
  }
  if (!Array.isArray(prompt)) {
    return { problem: `has ${kindOf(prompt)} in column ${column}, expected a list of messages or a text` };
  }
  if (prompt.length === 0) return { problem: `has no messages in column ${column}` };
  for (const [i, message] of prompt.entries()) {
    const problem = messageProblem(message);
    if (problem) return { problem: `has a message ${column}[${i}] ${problem}` };
  }
  return { messages: prompt.map((message) => ("content" in message ? message : { ...message, content: null })) };
}

function messageProblem(message: JsonValue): string | null {
  if (!isJsonObject(message)) return `that is ${kindOf(message)}, expected {role, content}`;
  const { role, content = null } = message;
  if (typeof role !== "string" || role === "") return `whose role is ${kindOf(role)}, expected a text`;
  if (content === null) return hasToolCalls(message) ? null : "without content";
  if (typeof content === "string") return null;
  if (!Array.isArray(content)) return `whose content is ${kindOf(content)}, expected a text or a list of parts`;
  const at = content.findIndex((part) => !isJsonObject(part) || typeof part.type !== "string");
  return at < 0 ? null : `whose content[${at}] is no part with a type`;
}

function hasToolCalls(message: Readonly<Record<string, JsonValue>>): boolean {
  return Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
}

function kindOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return value === "" ? "an empty text" : `the ${typeof value} ${shown(value)}`;
}
