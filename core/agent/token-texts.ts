import type { Tokenizer } from "../data/tokenizer.js";

/**
 * The text that each token adds, special tokens included. Concatenated they are the decoded sequence; a token that holds
 * only the beginning of a character adds nothing, the token that completes it adds the character.
 */
export function tokenTexts(tokenizer: Pick<Tokenizer, "decode">, ids: ArrayLike<number>): string[] {
  const list = Array.from(ids);
  // Decoding starts one token early, for decoders may treat the first token of a sequence differently.
  let [from, to] = [0, 0];
  return list.map((_, t) => {
    const before = tokenizer.decode(list.slice(from, to));
    const after = tokenizer.decode(list.slice(from, t + 1));
    const last = t === list.length - 1;
    if (after.endsWith("\uFFFD") && !last && t + 1 - to < 8) return "";
    [from, to] = [to, t + 1];
    return after.slice(before.length);
  });
}
