import { shown } from "../../../host/util/shown.js";
import type { JsonNode } from "../json-node.js";
import { literalPattern, type Match, RegexPattern } from "../regex/pattern.js";
import { readPattern } from "../regex/read-pattern.js";
import { NUMERIC, PUNCTUATION, WHITE_SPACE } from "../unicode/characters.js";
import type { CodePointSet } from "../unicode/code-point-set.js";
import { RUST_WORD } from "../unicode/words.js";
import { byteLevelPreTokenizer } from "./byte-level.js";
import { fixedLengthPreTokenizer } from "./fixed-length.js";
import { metaspacePreTokenizer } from "./metaspace.js";
import type { PreTokenizer } from "./pre-tokenizer.js";
import { matchesOfSet, SPLIT_BEHAVIORS, type SplitOptions, splitAtMatches } from "./split-behavior.js";
import { unicodeScriptsPreTokenizer } from "./unicode-scripts.js";

/** The pre-tokenizer that a section of `tokenizer.json` describes. */
export function readPreTokenizer(node: JsonNode): PreTokenizer {
  const type = node.type();
  switch (type) {
    case "Sequence":
      return sequence(node.at("pretokenizers").items().map(readPreTokenizer));
    case "BertPreTokenizer":
      return sequence([whitespaceSplit, splitter(atSet(PUNCTUATION), { behavior: "Isolated" })]);
    case "ByteLevel":
      return byteLevelPreTokenizer(node);
    case "CharDelimiterSplit":
      return splitter(atLiteral(node.at("delimiter").character()), { behavior: "Removed" });
    case "Digits": {
      const individual = node.at("individual_digits").boolean();
      return splitter(atSet(NUMERIC), { behavior: individual ? "Isolated" : "Contiguous" });
    }
    case "FixedLength":
      return fixedLengthPreTokenizer(node);
    case "Metaspace":
      return metaspacePreTokenizer(node);
    case "Punctuation": {
      const behavior = node.at("behavior").or("Isolated" as const, (field) => field.oneOf(SPLIT_BEHAVIORS));
      return splitter(atSet(PUNCTUATION), { behavior });
    }
    case "Split": {
      const pattern = readPattern(node.at("pattern"));
      const options = { behavior: node.at("behavior").oneOf(SPLIT_BEHAVIORS), invert: node.at("invert").boolean() };
      return splitter((text) => pattern.matches(text), options);
    }
    case "UnicodeScripts":
      return unicodeScriptsPreTokenizer();
    case "Whitespace":
      return whitespace;
    case "WhitespaceSplit":
      return whitespaceSplit;
    default:
      throw node.at("type").invalid(`the pre-tokenizer ${shown(type)} is not known`);
  }
}

function sequence(steps: readonly PreTokenizer[]): PreTokenizer {
  return { split: (piece) => steps.reduce((pieces, step) => pieces.flatMap((one) => step.split(one)), [piece]) };
}

function splitter(find: (text: string) => Match[], options: SplitOptions): PreTokenizer {
  return { split: (piece) => splitAtMatches(piece, find(piece.text), options) };
}

function atSet(set: CodePointSet): (text: string) => Match[] {
  return (text) => matchesOfSet(text, set);
}

function atLiteral(literal: string): (text: string) => Match[] {
  const pattern = literalPattern(literal);
  return (text) => pattern.matches(text);
}

const whitespaceSplit = splitter(atSet(WHITE_SPACE), { behavior: "Removed" });

const words = new RegexPattern(
  `${RUST_WORD.toPattern()}+|${RUST_WORD.union(WHITE_SPACE).complement().toPattern()}+`.replaceAll("\\u{", "\\x{"),
);
const whitespace = splitter((text) => words.matches(text), { behavior: "Removed", invert: true });
