import type { JsonNode } from "../json-node.js";
import type { Piece } from "../piece.js";
import type { Pattern } from "../regex/pattern.js";
import { readPattern } from "../regex/read-pattern.js";
import type { Normalizer } from "./normalizer.js";

/** `Replace`: every match of a text or regular expression becomes a fixed text. */
export function replaceNormalizer(node: JsonNode): Normalizer {
  const pattern = readPattern(node.at("pattern"));
  const content = node.at("content").text();
  return { normalize: (piece) => replaceMatches(piece, pattern, content) };
}

/** A replacement stands for the last character that it replaces. */
function replaceMatches({ text, origin }: Piece, pattern: Pattern, content: string): Piece {
  let out = "";
  let from = 0;
  let outOrigin = 0;
  let inOrigin = origin > 0;
  for (const [start, end] of pattern.matches(text)) {
    out += text.slice(from, start) + content;
    if (inOrigin) {
      outOrigin += Math.min(start, origin) - from;
      inOrigin = start <= origin && end <= origin;
      if (inOrigin) outOrigin += content.length;
    }
    from = end;
  }
  if (inOrigin) outOrigin += origin - from;
  return { text: out + text.slice(from), origin: outOrigin };
}

/** The text alone, for decoders. */
export function replaceAll(text: string, pattern: Pattern, content: string): string {
  return replaceMatches({ text, origin: 0 }, pattern, content).text;
}
