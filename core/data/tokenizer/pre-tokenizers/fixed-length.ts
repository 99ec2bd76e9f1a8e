import type { JsonNode } from "../json-node.js";
import { type Piece, slicePiece } from "../piece.js";
import type { PreTokenizer } from "./pre-tokenizer.js";

/** `FixedLength`: pieces of so many characters. */
export function fixedLengthPreTokenizer(node: JsonNode): PreTokenizer {
  const length = node.at("length").or(5, (field) => field.count());
  if (length === 0) throw node.at("length").invalid("pieces of no characters cover no text");
  return {
    split: (piece) => {
      const pieces: Piece[] = [];
      let start = 0;
      let characters = 0;
      let at = 0;
      for (const character of piece.text) {
        at += character.length;
        characters++;
        if (characters % length > 0) continue;
        pieces.push(slicePiece(piece, start, at));
        start = at;
      }
      return start === at ? pieces : [...pieces, slicePiece(piece, start, at)];
    },
  };
}
