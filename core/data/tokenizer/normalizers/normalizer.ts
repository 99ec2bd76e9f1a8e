import type { Piece } from "../piece.js";

/** Rewrites a text before it is split. */
export interface Normalizer {
  normalize(piece: Piece): Piece;
}

/** A normalizer that treats characters independently of what comes later in the text. */
export function characterNormalizer(rewrite: (text: string) => string): Normalizer {
  return {
    normalize: ({ text, origin }) => ({
      text: rewrite(text),
      origin: origin === 0 ? 0 : rewrite(text.slice(0, origin)).length,
    }),
  };
}
