import type { ChatMessage } from "../../data/tokenizer.js";
import { type NamedTool, nameTools } from "./tool-names.js";

/** Messages that the template writes together: a run of tool results, or one message of another role. */
export interface MessageGroup {
  readonly role: string;
  readonly messages: readonly ChatMessage[];
  /** The results of a tool run with their names. */
  readonly tools: readonly NamedTool[] | null;
}

/** @param previous  messages before, which may name the functions of tool results */
export function groupMessages(appended: readonly ChatMessage[], previous: readonly ChatMessage[]): MessageGroup[] {
  const runs: ChatMessage[][] = [];
  for (const message of appended) {
    const run = runs.at(-1);
    if (message.role === "tool" && run?.[0].role === "tool") run.push(message);
    else runs.push([message]);
  }
  return runs.map((messages) => {
    const { role } = messages[0];
    return { role, messages, tools: role === "tool" ? nameTools(messages, previous) : null };
  });
}

const SYSTEM: ChatMessage = { role: "system", content: "This system prompt is made up." };
/** A real user turn: an empty one is not what templates see later, and some insist on a user. */
const USER: ChatMessage = { role: "user", content: "This question is made up." };

/** Whether made-up text stands in what a template writes for real messages: some move the system prompt to the last turn. */
export function showsMadeUp(text: string): boolean {
  return [SYSTEM, USER].some(({ content }) => text.includes(content as string));
}

/** Conversations that an assistant's turn could follow. */
export const USER_CONTEXTS: readonly (readonly ChatMessage[])[] = [[SYSTEM, USER], [USER]];

/**
 * A made-up assistant turn that these tool results, or else messages of another role, could follow. Reasoning that is not
 * empty makes templates that drop old or empty thoughts write the turn as they do in history.
 */
export function assistantTurn(tools: readonly NamedTool[] | null): ChatMessage {
  if (!tools) return { role: "assistant", content: "Hi." };
  return {
    role: "assistant",
    content: "",
    reasoning_content: "Let me look.",
    tool_calls: tools.map(({ callId, name }) => ({
      id: callId,
      type: "function",
      function: { name: name ?? "tool", arguments: "{}" },
    })),
  };
}

/**
 * Conversations before a group, the most faithful first: after an assistant turn and the groups before this one; then those
 * for templates that rewrite that turn once more messages follow; each with a system message and without, as the real
 * conversation first.
 */
export function syntheticContexts(
  group: MessageGroup,
  before: readonly ChatMessage[],
  options: { readonly first: ChatMessage; readonly system: boolean },
): (readonly ChatMessage[])[] {
  const short = group.tools ? [USER, assistantTurn(group.tools)] : [USER];
  return [[USER, options.first, ...before], short].flatMap((context) =>
    options.system ? [[SYSTEM, ...context], context] : [context, [SYSTEM, ...context]],
  );
}
