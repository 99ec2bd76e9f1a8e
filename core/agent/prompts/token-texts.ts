import type { Tokenizer } from "../../data/tokenizer.js";

/**
 * The text that each token adds, special tokens included. Concatenated they are the decoded sequence; a token that holds
 * only the beginning of a character adds nothing, the token that completes it adds the character.
 */
export function tokenTexts(tokenizer: Pick<Tokenizer, "incrementalDecoder">, ids: ArrayLike<number>): string[] {
  const decoder = tokenizer.incrementalDecoder();
  const texts = Array.from(ids, (id) => decoder.push(id));
  if (texts.length > 0) texts[texts.length - 1] += decoder.pending();
  return texts;
}
