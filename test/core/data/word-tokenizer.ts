import type { ChatMessage, ChatTemplateOptions, Tokenizer } from "../../../core/data/index.js";

/** One token per word; the template writes role, content, tools, its variables and a generation prompt. */
export function wordTokenizer(): Tokenizer {
  const ids = new Map<string, number>();
  const id = (word: string) => {
    if (!ids.has(word)) ids.set(word, ids.size);
    return ids.get(word)!;
  };
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
  const renderChat = (messages: readonly ChatMessage[], options: ChatTemplateOptions = {}) => {
    if (messages.some((message) => message.role === "forbidden")) throw new Error("unknown role: forbidden");
    const tools = (options.tools ?? []).map((tool) => `tool ${(tool as { words: string }).words}`);
    const variables = Object.keys(options.kwargs ?? {});
    const turns = messages.map((message) => `${message.role} ${String(message.content)}`);
    return [...tools, ...variables, ...turns, ...(options.addGenerationPrompt ? ["assistant"] : [])].join("\n");
  };
  return {
    vocabSize: 1 << 16,
    eosTokenId: null,
    bosTokenId: null,
    padTokenId: 0,
    stopTokenIds: [],
    hasChatTemplate: true,
    encode: (text) => words(text).map(id),
    decode: (tokens) => Array.from(tokens, (token) => [...ids.keys()][token]).join(" "),
    incrementalDecoder: () => {
      let before = "";
      return {
        push: (token) => {
          const text = before + [...ids.keys()][token];
          before = " ";
          return text;
        },
        pending: () => "",
      };
    },
    tokenText: (token) => [...ids.keys()][token],
    tokenId: (text) => ids.get(text) ?? null,
    renderChat,
    encodeChat: (messages, options) => words(renderChat(messages, options)).map(id),
  };
}
