import { shown } from "../../../host/util/shown.js";
import { utf8Characters } from "../byte-level.js";
import type { JsonNode } from "../json-node.js";
import { prependTo } from "../piece.js";
import { COMBINING, replaceIn } from "../unicode/characters.js";
import { lowercase } from "../unicode/lowercase.js";
import { bertNormalizer } from "./bert.js";
import { nmtNormalizer } from "./nmt.js";
import { characterNormalizer, type Normalizer } from "./normalizer.js";
import { precompiledNormalizer } from "./precompiled.js";
import { replaceNormalizer } from "./replace.js";
import { stripNormalizer } from "./strip.js";
import { unicodeNormalizer } from "./unicode.js";

/** The normalizer that a section of `tokenizer.json` describes. */
export function readNormalizer(node: JsonNode): Normalizer {
  const type = node.type();
  switch (type) {
    case "Sequence":
      return sequence(node.at("normalizers").items().map(readNormalizer));
    case "BertNormalizer":
    case "Bert":
      return bertNormalizer(node);
    case "Lowercase":
      return characterNormalizer(lowercase);
    case "NFC":
    case "NFD":
    case "NFKC":
    case "NFKD":
      return unicodeNormalizer(type);
    case "Nmt":
      return nmtNormalizer();
    case "Precompiled":
      return precompiledNormalizer(node);
    case "Prepend":
      return prepend(node.at("prepend").text());
    case "Replace":
      return replaceNormalizer(node);
    case "Strip":
      return stripNormalizer(node);
    case "StripAccents":
      return characterNormalizer((text) => replaceIn(COMBINING, text, ""));
    case "ByteLevel":
      return characterNormalizer(utf8Characters);
    default:
      throw node.at("type").invalid(`the normalizer ${shown(type)} is not known`);
  }
}

function sequence(steps: readonly Normalizer[]): Normalizer {
  return { normalize: (piece) => steps.reduce((now, step) => step.normalize(now), piece) };
}

function prepend(prefix: string): Normalizer {
  return { normalize: (piece) => (piece.text === "" ? piece : prependTo(piece, prefix)) };
}
