import type { TokenizerFiles } from "../formats/model.js";
import { tokenizerErrors } from "./tokenizer-errors.js";

export interface CharTokenizerOptions {
  /** Token for padding; not part of the alphabet. */
  readonly pad: string;
  /** Token that ends a text. */
  readonly eos: string;
  readonly chatTemplate?: string | null;
}

/**
 * Files of a tokenizer with one token a character, for models made from scratch. Ids: padding 0, end 1, then the alphabet in
 * order. A text of these characters comes back exactly; any other character is an error. `transformers` loads it as well.
 */
export function charTokenizerFiles(alphabet: string, options: CharTokenizerOptions): TokenizerFiles {
  const { pad, eos, chatTemplate = null } = options;
  const characters = [...alphabet];
  const tokens = [pad, eos, ...characters];
  if (new Set(tokens).size !== tokens.length) {
    throw tokenizerErrors.VERL_DATA_TOKENIZER_INVALID({
      what: `the alphabet ${JSON.stringify(alphabet)} repeats a character, or holds a special token`,
      fix: "list every character once",
    });
  }
  const special = (content: string, id: number) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  return {
    tokenizerJson: {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: [special(pad, 0), special(eos, 1)],
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: "Fuse" },
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: [],
      },
    },
    tokenizerConfig: {
      tokenizer_class: "PreTrainedTokenizerFast",
      clean_up_tokenization_spaces: false,
      pad_token: pad,
      eos_token: eos,
    },
    chatTemplate,
    generationConfig: { eos_token_id: 1, pad_token_id: 0 },
  };
}
