import { slicePiece } from "../piece.js";
import { scriptClass } from "../unicode/scripts.js";
import type { PreTokenizer } from "./pre-tokenizer.js";

/** `UnicodeScripts`: a new piece wherever the script changes. Characters of any script before the first of one are lost. */
export function unicodeScriptsPreTokenizer(): PreTokenizer {
  return {
    split: (piece) => {
      const { text } = piece;
      const bounds: number[] = [];
      let last = 0;
      for (let i = 0; i < text.length; ) {
        const code = text.codePointAt(i) as number;
        const script = scriptClass(code);
        if (script !== 0 && script !== last) bounds.push(i);
        if (script !== 0) last = script;
        i += code > 0xffff ? 2 : 1;
      }
      return bounds.map((start, i) => slicePiece(piece, start, bounds[i + 1] ?? text.length));
    },
  };
}
