import { PIECE, type Piece, type SentencePieceVocabulary, SPACE_MARK } from "./vocabulary.js";

type Json = Record<string, unknown>;

export interface SentencePieceOptions {
  readonly postProcessor?: Json | null;
  /** A space is put in front of every part between added tokens (the default), or of the text alone. */
  readonly legacy?: boolean;
}

/**
 * A `tokenizer.json` that encodes like SentencePiece itself: its normalisation in its order, merges ranked by the scores of the
 * pieces, user-defined pieces whole. The recipe is that of `transformers` for models without a class of their own.
 */
export function sentencePieceTokenizerJson(
  vocabulary: SentencePieceVocabulary,
  options: SentencePieceOptions = {},
): Json {
  const { pieces, addDummyPrefix, byteFallback } = vocabulary;
  const { postProcessor = null, legacy = true } = options;
  const userDefined = pieces.filter(({ kind }) => kind === PIECE.userDefined).map(({ text }) => text);
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: pieces.flatMap(({ text, kind }, id) => (kind === PIECE.control ? [controlToken(text, id)] : [])),
    normalizer: { type: "Sequence", normalizers: normalizers(vocabulary, legacy) },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        ...(addDummyPrefix
          ? [{ type: "Metaspace", replacement: SPACE_MARK, prepend_scheme: legacy ? "always" : "first", split: false }]
          : []),
        ...(userDefined.length > 0 ? [isolate(userDefined)] : []),
      ],
    },
    post_processor: postProcessor,
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: SPACE_MARK }, content: " " },
        ...(byteFallback ? [{ type: "ByteFallback" }] : []),
        { type: "Fuse" },
        ...(addDummyPrefix ? [{ type: "Strip", content: " ", start: 1, stop: 0 }] : []),
      ],
    },
    model: vocabulary.algorithm === "bpe" ? bpeModel(vocabulary, userDefined) : unigramModel(vocabulary),
  };
}

function normalizers(vocabulary: SentencePieceVocabulary, legacy: boolean): Json[] {
  const { characterMap, removeExtraWhitespace, escapeWhitespace, addDummyPrefix } = vocabulary;
  const replace = (pattern: Json, content: string) => ({ type: "Replace", pattern, content });
  const steps: Json[] = [];
  if (characterMap) {
    steps.push({ type: "Precompiled", precompiled_charsmap: Buffer.from(characterMap).toString("base64") });
  }
  if (removeExtraWhitespace) {
    steps.push(replace({ Regex: "\\A +| +\\z" }, ""), replace({ Regex: " {2,}" }, " "));
  }
  if (escapeWhitespace) steps.push(replace({ String: " " }, SPACE_MARK));
  // The prefix is put in front of a mark as well, which Metaspace does not do.
  if (addDummyPrefix && legacy) steps.push(replace({ Regex: `\\A${SPACE_MARK}` }, SPACE_MARK + SPACE_MARK));
  return steps;
}

function isolate(texts: readonly string[]): Json {
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  const regex = longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
  return { type: "Split", pattern: { Regex: regex }, behavior: "Isolated", invert: false };
}

function bpeModel({ pieces, unknownId, byteFallback }: SentencePieceVocabulary, userDefined: readonly string[]): Json {
  return {
    type: "BPE",
    dropout: null,
    unk_token: pieces[unknownId]?.text ?? null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: true,
    byte_fallback: byteFallback,
    ignore_merges: userDefined.length > 0,
    vocab: vocabularyObject(pieces),
    merges: mergesOf(pieces),
  };
}

/** Every way to put a normal piece together from two others; better scores first. */
function mergesOf(pieces: readonly Piece[]): [string, string][] {
  const normal = new Set(pieces.filter(({ kind }) => kind === PIECE.normal).map(({ text }) => text));
  // A part of a length that no piece has need not be cut out and hashed: of a long piece those are almost all.
  const lengths = new Set([...normal].map(({ length }) => length));
  const byRank = [...pieces.entries()].filter(([, { kind }]) => kind === PIECE.normal);
  byRank.sort(([a, { score }], [b, other]) => other.score - score || a - b);
  return byRank.flatMap(([, { text }]) => {
    const found: [string, string][] = [];
    for (let at = 1; at < text.length; at++) {
      if (!lengths.has(at) || !lengths.has(text.length - at)) continue;
      const [left, right] = [text.slice(0, at), text.slice(at)];
      if (normal.has(left) && normal.has(right)) found.push([left, right]);
    }
    return found;
  });
}

function unigramModel({ pieces, unknownId, byteFallback }: SentencePieceVocabulary): Json {
  return {
    type: "Unigram",
    unk_id: unknownId < pieces.length ? unknownId : null,
    vocab: pieces.map(({ text, score }) => [text, score]),
    byte_fallback: byteFallback,
  };
}

/** An object without prototype, since a piece may be called `__proto__`. Of equal texts the last one counts. */
function vocabularyObject(pieces: readonly Piece[]): Json {
  const object: Json = Object.create(null);
  pieces.forEach(({ text }, id) => {
    object[text] = id;
  });
  return object;
}

function controlToken(content: string, id: number): Json {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
}
