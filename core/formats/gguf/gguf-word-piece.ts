import { PIECE } from "../sentencepiece/vocabulary.js";
import { templateProcessing } from "../template-processing.js";
import type { TokenizerMetadata } from "./tokenizer-metadata.js";

/** Starts the tokens that start a word; the others have no mark in the file. */
const WORD_START = "\u2581";

/** `tokenizer.json` for BERT's WordPiece, the kind `bert`, of which GGUF knows the lower-case form only. */
export function ggufWordPiece(read: TokenizerMetadata): Record<string, unknown> {
  const tokens = read.texts("tokens");
  const types = read.has("token_type") ? read.numbers("token_type") : [];
  const isSpecial = (id: number) => types[id] === PIECE.control || types[id] === PIECE.unknown;
  const texts = tokens.map((token, id) => {
    if (token.startsWith(WORD_START)) return token.slice(WORD_START.length);
    return isSpecial(id) || /^\[.*\]$/s.test(token) ? token : `##${token}`;
  });
  const unknown = read.special("unknown", texts)?.[0] ?? "[UNK]";
  const bos = read.special("bos", texts) ?? read.special("cls", texts);
  const sep = read.special("seperator", texts) ?? read.special("eos", texts);
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: texts.flatMap((content, id) =>
      isSpecial(id)
        ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }]
        : [],
    ),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: templateProcessing(
      bos && read.flag("add_bos_token", true) ? [bos] : [],
      sep && read.flag("add_sep_token", true) ? [sep] : [],
    ),
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: unknown,
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(texts.map((text, id) => [text, id])),
    },
  };
}
