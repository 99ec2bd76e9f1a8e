import type { ChatMessage } from "../../data/tokenizer.js";
import type { ConversationText } from "./conversation-text.js";
import type { TokenFamily } from "./family.js";
import type { Broken } from "./own-encoding.js";
import {
  assistantTurn,
  type MessageGroup,
  showsMadeUp,
  syntheticContexts,
  USER_CONTEXTS,
} from "./synthetic-context.js";

/** Text to be encoded as it stands after other text. */
export interface Suffix {
  readonly after: string;
  readonly text: string;
}

/** What a template writes for messages, and the made-up conversation that it was found by. */
interface Delta extends Suffix {
  readonly context: readonly ChatMessage[];
}

/**
 * What the template writes for messages after an assistant turn, and the next generation prompt. The text of messages is the
 * rendering of a made-up conversation with them, less that without them: real history would cost more with every turn, and
 * templates rewrite it. All messages are tried together, then group by group.
 */
export function templateSuffix(
  groups: readonly MessageGroup[],
  updated: readonly ChatMessage[],
  text: ConversationText,
  family: TokenFamily,
): Suffix | Broken {
  const options = { first: assistantTurn(groups[0].tools), system: updated[0].role === "system" };
  const all = groups.flatMap(({ messages }) => messages);
  const together = family.renderTools ? null : findDelta(all, syntheticContexts(groups[0], [], options), text);
  const deltas = together
    ? [together]
    : groups.map((group, i): Delta | null => {
        if (group.tools && family.renderTools) return { after: "", text: family.renderTools(group.tools), context: [] };
        const before = groups.slice(0, i).flatMap(({ messages }) => messages);
        return findDelta(group.messages, syntheticContexts(group, before, options), text);
      });
  const missing = deltas.indexOf(null);
  if (missing >= 0) return { broken: `the template does not append ${groups[missing].role} messages` };
  const found = deltas.filter((delta) => delta !== null);
  const last = groups[groups.length - 1];
  const prompt =
    last.tools && family.noPromptAfterTools
      ? ""
      : (generationPrompt(updated, text) ??
        generationPrompt([...found[found.length - 1].context, ...(together ? all : last.messages)], text));
  if (prompt === null) return { broken: "the template does not append its generation prompt" };
  return { after: found[0].after, text: `${found.map((delta) => delta.text).join("")}${prompt}` };
}

/** What the template writes after the text of an assistant turn. */
export function turnEnd(text: ConversationText): Suffix {
  const content = "It is done";
  const turn: ChatMessage = { role: "assistant", content };
  for (const context of USER_CONTEXTS) {
    const whole = text.attempt([...context, turn], false);
    const at = whole?.lastIndexOf(content) ?? -1;
    if (!whole || at < 0) continue;
    const end = at + content.length;
    return { after: whole.slice(0, end), text: whole.slice(end) };
  }
  return { after: "", text: "" };
}

function findDelta(
  messages: readonly ChatMessage[],
  contexts: readonly (readonly ChatMessage[])[],
  text: ConversationText,
): Delta | null {
  for (const context of contexts) {
    const head = text.attempt(context, false);
    if (head === null) continue;
    const whole = text.attempt([...context, ...messages], false);
    // The template takes the turns before and not these messages: it would not take them after real ones either.
    if (whole === null) return null;
    const delta = whole.startsWith(head) ? whole.slice(head.length) : null;
    if (delta !== null && !showsMadeUp(delta)) return { after: head, text: delta, context };
  }
  return null;
}

function generationPrompt(messages: readonly ChatMessage[], text: ConversationText): string | null {
  const without = text.attempt(messages, false);
  if (without === null) return null;
  const withPrompt = text.attempt(messages, true);
  return withPrompt?.startsWith(without) ? withPrompt.slice(without.length) : null;
}
