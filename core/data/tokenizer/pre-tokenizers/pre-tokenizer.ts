import type { Piece } from "../piece.js";

/** Splits pieces of the normalised text, and may rewrite them, on their way to the model. */
export interface PreTokenizer {
  /** Yields no empty pieces. */
  split(piece: Piece): Piece[];
}
