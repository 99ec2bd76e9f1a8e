import { shown } from "../../../host/util/shown.js";
import type { JsonNode } from "../json-node.js";
import { Bpe } from "./bpe.js";
import type { Model } from "./model.js";
import { Unigram } from "./unigram.js";
import { WordLevel } from "./word-level.js";
import { WordPiece } from "./word-piece.js";

/** The model that a section of `tokenizer.json` describes. */
export function readModel(node: JsonNode): Model {
  const type = node.object().at("type").isNull ? guessType(node) : node.type();
  switch (type) {
    case "BPE":
      return new Bpe(node);
    case "Unigram":
      return new Unigram(node);
    case "WordPiece":
      return new WordPiece(node);
    case "WordLevel":
      return new WordLevel(node);
    default:
      throw node.at("type").invalid(`the model ${shown(type)} is not known`);
  }
}

/** Early files do not name the model. */
function guessType(node: JsonNode): string {
  if (node.has("merges")) return "BPE";
  if (node.at("vocab").isList) return "Unigram";
  return node.has("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
}
