import { isDeepStrictEqual } from "node:util";
import { plainText } from "../../data/plain-text.js";
import type { ChatMessage } from "../../data/tokenizer.js";
import { agentErrors } from "../errors.js";

const APPENDABLE = new Set(["tool", "user", "system"]);

/** The messages that `updated` has more than `previous`, checked. */
export function appendedMessages(
  previous: readonly ChatMessage[],
  updated: readonly ChatMessage[],
): readonly ChatMessage[] {
  const differs = previous.findIndex((message, i) => !isDeepStrictEqual(message, updated[i]));
  if (differs >= 0) {
    throw agentErrors.VERL_AGENT_HISTORY_CHANGED({
      what: `message ${differs} of ${previous.length} is not the one that the model saw`,
    });
  }
  const appended = updated.slice(previous.length);
  const wrong = appended.findIndex(({ role }) => !APPENDABLE.has(role));
  if (wrong >= 0) {
    const { role } = appended[wrong];
    throw agentErrors.VERL_AGENT_MESSAGE_ROLE({
      what: `message ${previous.length + wrong} has the role ${role}; only tool, user and system messages are appended`,
    });
  }
  return appended;
}

/** Where only tokens of texts are made. */
export function refuseMedia(messages: readonly ChatMessage[]): void {
  const at = messages.findIndex(({ content }) => plainText(content) === null);
  if (at < 0) return;
  throw agentErrors.VERL_AGENT_MEDIA({ what: `message ${at} (${messages[at].role}) holds parts that are no text` });
}
