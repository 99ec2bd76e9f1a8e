import type { JsonNode } from "../json-node.js";
import { slicePiece } from "../piece.js";
import { spaceEnd, spaceStart } from "../unicode/characters.js";
import type { Normalizer } from "./normalizer.js";

/** `Strip`: white space off one end or both. */
export function stripNormalizer(node: JsonNode): Normalizer {
  const left = node.at("strip_left").boolean();
  const right = node.at("strip_right").boolean();
  return {
    normalize: (piece) => {
      const start = left ? spaceEnd(piece.text, 0) : 0;
      const end = right ? spaceStart(piece.text, piece.text.length) : piece.text.length;
      return slicePiece(piece, start, Math.max(start, end));
    },
  };
}
