import type { TokenizerFiles } from "../model.js";
import { ggufBpe } from "./gguf-bpe.js";
import { ggufEosTokenIds } from "./gguf-config.js";
import { ggufSentencePiece } from "./gguf-sentencepiece.js";
import { ggufWordPiece } from "./gguf-word-piece.js";
import type { GgufValue } from "./header.js";
import { TokenizerMetadata } from "./tokenizer-metadata.js";

/** How each kind of tokenizer (`tokenizer.ggml.model`) is rebuilt. */
const KINDS: ReadonlyMap<string, (read: TokenizerMetadata) => Record<string, unknown>> = new Map([
  ["gpt2", ggufBpe],
  ["llama", (read: TokenizerMetadata) => ggufSentencePiece(read, "bpe")],
  ["t5", (read: TokenizerMetadata) => ggufSentencePiece(read, "unigram")],
  ["bert", ggufWordPiece],
]);

/** Hugging Face's `tokenizer.json` and `tokenizer_config.json` from GGUF metadata. Null when the file carries no vocabulary. */
export function ggufTokenizerFiles(metadata: ReadonlyMap<string, GgufValue>, path: string): TokenizerFiles | null {
  const read = new TokenizerMetadata(metadata, path);
  const kind = read.text("model");
  if (kind === undefined || kind === "no_vocab" || kind === "none") return null;
  const rebuild = KINDS.get(kind);
  if (!rebuild) {
    throw read.unsupported(
      `the tokenizer is of kind "${kind}"`,
      `kinds that can be rebuilt: ${[...KINDS.keys()].join(", ")}`,
    );
  }
  const tokenizerJson = rebuild(read);
  const tokens = read.texts("tokens");
  const text = (name: string) => read.special(name, tokens)?.[0];
  const template = metadata.get("tokenizer.chat_template");
  return {
    tokenizerJson,
    tokenizerConfig: {
      tokenizer_class: "PreTrainedTokenizerFast",
      clean_up_tokenization_spaces: false,
      ...optional("bos_token", text("bos")),
      ...optional("eos_token", text("eos")),
      ...optional("unk_token", text("unknown")),
      ...optional("pad_token", text("padding")),
      ...optional("model_max_length", metadata.get(`${metadata.get("general.architecture")}.context_length`)),
    },
    chatTemplate: typeof template === "string" ? template : null,
    generationConfig: {
      ...optional("bos_token_id", metadata.get("tokenizer.ggml.bos_token_id")),
      eos_token_id: ggufEosTokenIds(metadata),
      ...optional("pad_token_id", metadata.get("tokenizer.ggml.padding_token_id")),
    },
  };
}

function optional(key: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [key]: value };
}
