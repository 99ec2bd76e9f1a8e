import { sentencePieceTokenizerJson } from "../sentencepiece/tokenizer-json.js";
import { PIECE, type Piece, SPACE_MARK } from "../sentencepiece/vocabulary.js";
import { templateProcessing } from "../template-processing.js";
import type { TokenizerMetadata } from "./tokenizer-metadata.js";

/** `tokenizer.json` for SentencePiece vocabularies: the kinds `llama` (BPE by scores) and `t5` (unigram). */
export function ggufSentencePiece(read: TokenizerMetadata, algorithm: "bpe" | "unigram"): Record<string, unknown> {
  const tokens = read.texts("tokens");
  const scores = read.numbers("scores");
  const types = read.has("token_type") ? read.numbers("token_type") : [];
  const isBpe = algorithm === "bpe";
  const bos = read.flag("add_bos_token", isBpe) ? read.special("bos", tokens) : undefined;
  const eos = read.flag("add_eos_token", !isBpe) ? read.special("eos", tokens) : undefined;
  const vocabulary = {
    algorithm,
    pieces: tokens.map((token, id): Piece => {
      const kind = types[id] ?? PIECE.normal;
      // Converters write user-defined pieces as they stand in texts, with spaces.
      const text = kind === PIECE.userDefined ? token.replaceAll(" ", SPACE_MARK) : token;
      return { text, score: scores[id] ?? 0, kind };
    }),
    unknownId: read.special("unknown", tokens)?.[1] ?? types.indexOf(PIECE.unknown),
    byteFallback: types.includes(PIECE.byte),
    characterMap: read.has("precompiled_charsmap") ? Uint8Array.from(read.numbers("precompiled_charsmap")) : null,
    addDummyPrefix: read.flag("add_space_prefix", true),
    removeExtraWhitespace: read.flag("remove_extra_whitespaces", false),
    escapeWhitespace: true,
  };
  if (vocabulary.unknownId < 0) throw read.invalid("tokenizer.ggml.unknown_token_id is missing");
  return sentencePieceTokenizerJson(vocabulary, {
    postProcessor: templateProcessing(bos ? [bos] : [], eos ? [eos] : []),
  });
}
