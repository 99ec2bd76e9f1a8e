import { PIECE, SPACE_MARK } from "../sentencepiece/vocabulary.js";
import { templateProcessing } from "../template-processing.js";
import type { TokenizerMetadata } from "./tokenizer-metadata.js";

/**
 * `tokenizer.json` for BERT's WordPiece, the kind `bert`, of which GGUF knows the lower-case form only. In the file a mark starts
 * the tokens that start a word, and the others have none.
 */
export function ggufWordPiece(read: TokenizerMetadata): Record<string, unknown> {
  const tokens = read.texts("tokens");
  const types = read.has("token_type") ? read.numbers("token_type") : [];
  const isSpecial = (id: number) => types[id] === PIECE.control || types[id] === PIECE.unknown;
  const texts = tokens.map((token, id) => {
    if (token.startsWith(SPACE_MARK)) return token.slice(SPACE_MARK.length);
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
