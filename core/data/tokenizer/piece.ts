/** A part of the input on its way to the model. */
export interface Piece {
  readonly text: string;
  /**
   * How many UTF-16 units at its start stand for the very first character of the input; 0 elsewhere. `Metaspace` with the
   * scheme `first` asks for it, and neither normalisation nor splitting may lose it.
   */
  readonly origin: number;
}

export function slicePiece(piece: Piece, start: number, end: number): Piece {
  return { text: piece.text.slice(start, end), origin: Math.max(0, Math.min(piece.origin, end) - start) };
}

/** What is put before a piece belongs to its first character. */
export function prependTo(piece: Piece, prefix: string): Piece {
  return { text: prefix + piece.text, origin: piece.origin === 0 ? 0 : prefix.length + piece.origin };
}
