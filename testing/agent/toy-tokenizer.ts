import {
  type ChatMessage,
  type ChatTemplateOptions,
  type DecodeOptions,
  mediaKindOf,
  type Tokenizer,
} from "../../core/plugin.js";

export interface ToyTokenizerOptions {
  /** Texts of the ordinary tokens; every printable ASCII character and the line feed by default. */
  readonly vocabulary?: readonly string[];
  /** Three more special tokens, which stand for media in messages: `<image>`, `<video>` and `<audio>`, ids 6 to 8. */
  readonly media?: boolean;
}

const MEDIA = ["<image>", "<video>", "<audio>"];
const SPECIAL = ["<pad>", "<end>", "<system>", "<user>", "<assistant>", "<tool>"];

/**
 * A tokenizer that takes the longest token that fits, so that `he` + `llo` decodes to what `hello` encodes. Ids 0–5 are
 * special: padding, end of turn (the only stop token), and one header per role. Messages render as `<role>text<end>`.
 */
export function createToyTokenizer(options: ToyTokenizerOptions = {}): Tokenizer {
  const special = options.media ? [...SPECIAL, ...MEDIA] : SPECIAL;
  const texts = [...special, ...(options.vocabulary ?? ascii())];
  const idOf = new Map(texts.map((text, id) => [text, id]));
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);

  function encode(text: string): number[] {
    const ids: number[] = [];
    for (let at = 0; at < text.length; ) {
      const token = longestFirst.find((candidate) => text.startsWith(candidate, at));
      if (token === undefined) throw new RangeError(`no token for ${JSON.stringify(text.slice(at, at + 10))}`);
      ids.push(idOf.get(token) as number);
      at += token.length;
    }
    return ids;
  }

  function renderChat(
    messages: readonly ChatMessage[],
    { tools, addGenerationPrompt }: ChatTemplateOptions = {},
  ): string {
    const head = tools && tools.length > 0 ? `<system>${JSON.stringify(tools)}<end>` : "";
    const body = messages.map(({ role, content }) => `<${role}>${textOf(content)}<end>`).join("");
    return `${head}${body}${addGenerationPrompt ? "<assistant>" : ""}`;
  }

  function textOfToken(id: number, { skipSpecialTokens = false }: DecodeOptions = {}): string {
    return skipSpecialTokens && id < special.length ? "" : (texts[id] ?? "\uFFFD");
  }

  return {
    vocabSize: texts.length,
    padTokenId: 0,
    eosTokenId: 1,
    bosTokenId: null,
    stopTokenIds: [1],
    hasChatTemplate: true,
    encode,
    decode: (ids, decoding) => Array.from(ids, (id) => textOfToken(id, decoding)).join(""),
    incrementalDecoder: (decoding) => ({ push: (id) => textOfToken(id, decoding), pending: () => "" }),
    tokenText: (id) => texts[id] ?? "\uFFFD",
    tokenId: (text) => idOf.get(text) ?? null,
    renderChat,
    encodeChat: (messages, chat) => encode(renderChat(messages, chat)),
  };
}

function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content
    .map((part) => {
      const kind = mediaKindOf(part);
      if (kind !== null) return `<${kind}>`;
      return "text" in part ? String(part.text) : "";
    })
    .join("");
}

function ascii(): string[] {
  return ["\n", ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))];
}
