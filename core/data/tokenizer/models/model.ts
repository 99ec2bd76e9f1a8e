/** Turns the pieces of a text into token ids. */
export interface Model {
  /** Tokens without the added ones. */
  readonly vocabulary: Vocabulary;
  /** Append the ids of one piece, which is not empty. */
  encode(piece: string, ids: number[]): void;
}

/** Token texts and their ids. */
export interface Vocabulary {
  readonly size: number;
  idOf(token: string): number | undefined;
  tokenOf(id: number): string | undefined;
  ids(): Iterable<number>;
}
