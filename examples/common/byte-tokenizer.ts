import { charTokenizerFiles } from "verl-ts";

type TokenizerFiles = ReturnType<typeof charTokenizerFiles>;

/** Ends every turn. */
export const END = "<|end|>";
const PAD = "<|pad|>";
/** Role headers, and the tags of the tool format `hermes`, are one token each. */
const HEADERS = ["<|system|>", "<|user|>", "<|assistant|>", "<|tool|>"];
const TAGS = ["<tool_call>", "</tool_call>"];
/** Tokens of the vocabulary: padding, end, headers, tags, and one for each byte. */
export const BYTE_VOCABULARY = 2 + HEADERS.length + TAGS.length + 256;

/**
 * A conversation as a small model reads it: `<|user|>…<|end|><|assistant|>…`. Of the tools only the names are shown: what they
 * take is in the demonstrations.
 */
export const CHAT_TEMPLATE = [
  "{% if tools %}<|system|>{% for tool in tools %}{{ tool.function.name }}{% if not loop.last %} {% endif %}{% endfor %}<|end|>{% endif %}",
  "{% for message in messages %}<|{{ message.role }}|>{{ message.content or '' }}",
  "{% for call in message.tool_calls or [] %}",
  '<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments }}}</tool_call>',
  "{% endfor %}<|end|>{% endfor %}",
  "{% if add_generation_prompt %}<|assistant|>{% endif %}",
].join("");

/** A tokenizer with one token a byte, so that any text can be written, and a chat template with tools. Nothing is learnt. */
export function byteTokenizerFiles(): TokenizerFiles {
  const tokens = [...HEADERS, ...TAGS];
  const bytes = Array.from({ length: 256 }, (_, byte) => byteCharacter(byte));
  const files = charTokenizerFiles(bytes.join(""), { pad: PAD, eos: END, chatTemplate: CHAT_TEMPLATE });
  const json = files.tokenizerJson as { added_tokens: object[]; model: { vocab: Record<string, number> } };
  const vocabulary = [PAD, END, ...tokens, ...bytes];
  const added = tokens.map((content, i) => ({
    id: 2 + i,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    // Tags are text that a parser reads; headers are not part of any text.
    special: HEADERS.includes(content),
  }));
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false };
  return {
    ...files,
    tokenizerJson: {
      ...json,
      added_tokens: [...json.added_tokens, ...added],
      pre_tokenizer: byteLevel,
      decoder: byteLevel,
      model: { ...json.model, vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])) },
    },
  };
}

/** How `ByteLevel` writes a byte: printable Latin-1 characters as they are, the others from U+0100 on in their order. */
function byteCharacter(byte: number): string {
  if (isPrintable(byte)) return String.fromCharCode(byte);
  let rank = 0;
  for (let other = 0; other < byte; other++) if (!isPrintable(other)) rank++;
  return String.fromCharCode(256 + rank);
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
}
