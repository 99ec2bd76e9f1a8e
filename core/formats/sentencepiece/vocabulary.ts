/** What stands for a space in pieces. */
export const SPACE_MARK = "\u2581";

/** Kinds of pieces, numbered as SentencePiece and GGUF files do. */
export const PIECE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export interface Piece {
  readonly text: string;
  readonly score: number;
  /** One of {@link PIECE}. */
  readonly kind: number;
}

/** What a SentencePiece model knows, from its own file or from GGUF metadata. */
export interface SentencePieceVocabulary {
  readonly algorithm: "unigram" | "bpe";
  readonly pieces: readonly Piece[];
  readonly unknownId: number;
  readonly byteFallback: boolean;
  /** The compiled character map of the normalisation, or null. */
  readonly characterMap: Uint8Array | null;
  /** A space is put in front of every text. */
  readonly addDummyPrefix: boolean;
  readonly removeExtraWhitespace: boolean;
  readonly escapeWhitespace: boolean;
}
