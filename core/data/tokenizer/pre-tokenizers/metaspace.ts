import type { JsonNode } from "../json-node.js";
import { type Piece, prependTo } from "../piece.js";
import { literalPattern } from "../regex/pattern.js";
import type { PreTokenizer } from "./pre-tokenizer.js";
import { splitAtMatches } from "./split-behavior.js";

export interface MetaspaceOptions {
  /** The character that stands for a space, usually ▁. */
  readonly replacement: string;
  /** Where one is put in front: of every piece, of the first of the input, or nowhere. */
  readonly scheme: "always" | "first" | "never";
  readonly split: boolean;
}

/** Options of the pre-tokenizer and of the decoder. */
export function readMetaspace(node: JsonNode): MetaspaceOptions {
  const schemeNode = node.at("prepend_scheme");
  const scheme = schemeNode.or("always" as const, (field) => field.oneOf(["first", "never", "always"] as const));
  // What older files say instead of the scheme.
  const addsSpace = node.at("add_prefix_space").or(true, (field) => field.boolean());
  if (!addsSpace && scheme !== "never")
    throw schemeNode.invalid("add_prefix_space and prepend_scheme contradict each other");
  return {
    replacement: node.at("replacement").character(),
    scheme,
    split: node.at("split").or(true, (field) => field.boolean()),
  };
}

/** `Metaspace`: spaces become a visible character, which starts every word. */
export function metaspacePreTokenizer(node: JsonNode): PreTokenizer {
  const { replacement, scheme, split } = readMetaspace(node);
  const words = literalPattern(replacement);
  return {
    split: (piece) => {
      let marked = markSpaces(piece, replacement);
      const prepends = scheme === "always" || (scheme === "first" && piece.origin > 0);
      if (prepends && !marked.text.startsWith(replacement)) marked = prependTo(marked, replacement);
      return split ? splitAtMatches(marked, words.matches(marked.text), { behavior: "MergedWithNext" }) : [marked];
    },
  };
}

function markSpaces({ text, origin }: Piece, replacement: string): Piece {
  return {
    text: text.replaceAll(" ", replacement),
    origin: text.slice(0, origin).replaceAll(" ", replacement).length,
  };
}
