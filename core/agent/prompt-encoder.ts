import { ConversationRenderer } from "../data/conversation-renderer.js";
import type { ChatMessage, Tokenizer } from "../data/tokenizer.js";
import type { JsonValue, Logger } from "../host/types.js";
import type { AgentLoopContext } from "./agent-loop.js";

/** `AgentLoopContext.encodePrompt` for the sessions of one prompt: every list of messages is encoded once. */
export function promptEncoder(options: {
  readonly tokenizer: Tokenizer;
  readonly promptLength: number;
  readonly applyChatTemplateKwargs: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
  /** Told of messages that had to be rearranged for the chat template. */
  readonly templateLogger: Pick<Logger, "warn">;
  /** The prompt, for the warning. */
  readonly where: string;
}): AgentLoopContext["encodePrompt"] {
  const { tokenizer, promptLength, applyChatTemplateKwargs: kwargs, logger, templateLogger, where } = options;
  const cache = new WeakMap<readonly ChatMessage[], Map<string, readonly number[]>>();

  function encode(messages: readonly ChatMessage[], tools?: readonly JsonValue[]): readonly number[] {
    const ids = new ConversationRenderer(tokenizer, { tools, kwargs, logger: templateLogger }).encode(messages, true);
    if (ids.length <= promptLength) return ids;
    logger.warn(
      `prompt ${where} has ${ids.length} tokens, ${ids.length - promptLength} more than data.max_prompt_length; its beginning is cut off`,
    );
    return ids.slice(-promptLength);
  }

  return (messages, { tools } = {}) => {
    const known = cache.get(messages) ?? new Map<string, readonly number[]>();
    cache.set(messages, known);
    const key = tools ? JSON.stringify(tools) : "";
    const ids = known.get(key) ?? encode(messages, tools);
    known.set(key, ids);
    return ids;
  };
}
