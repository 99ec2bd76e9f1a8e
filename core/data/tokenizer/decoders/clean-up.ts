/** What English tokenization splits off, with what it was; in the order in which it is put together again. */
const ABBREVIATIONS: readonly (readonly [string, string])[] = [
  [" .", "."],
  [" ?", "?"],
  [" !", "!"],
  [" ,", ","],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" do not", " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

/** Spaces before punctuation and contractions away, as the decoders `WordPiece` and `CTC` do in each token. */
export function cleanUp(token: string): string {
  return ABBREVIATIONS.reduce((text, [from, to]) => text.replaceAll(from, to), token);
}

/** What `clean_up_tokenization_spaces` of `transformers` replaces in the whole text: the same without `do not`. */
export const CLEAN_UP_SPACES = ABBREVIATIONS.filter(([from]) => from !== " do not");
