import { utf8Characters } from "../byte-level.js";
import type { JsonNode } from "../json-node.js";
import { type Piece, prependTo } from "../piece.js";
import { RegexPattern } from "../regex/pattern.js";
import type { PreTokenizer } from "./pre-tokenizer.js";
import { splitAtMatches } from "./split-behavior.js";

/** GPT-2's words. */
const WORDS = new RegexPattern("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+");

/** `ByteLevel`: words as GPT-2 has them, unless told not to split, then every byte as a printable character. */
export function byteLevelPreTokenizer(node: JsonNode): PreTokenizer {
  const addPrefixSpace = node.at("add_prefix_space").boolean();
  const useRegex = node.at("use_regex").or(true, (field) => field.boolean());
  return {
    split: (piece) => {
      const prefixed = addPrefixSpace && !piece.text.startsWith(" ") ? prependTo(piece, " ") : piece;
      const words = useRegex
        ? splitAtMatches(prefixed, WORDS.matches(prefixed.text), { behavior: "Isolated" })
        : [prefixed];
      return words.map(toBytes);
    },
  };
}

function toBytes({ text, origin }: Piece): Piece {
  return { text: utf8Characters(text), origin: origin === 0 ? 0 : utf8Characters(text.slice(0, origin)).length };
}
