import { shown } from "../../../host/util/shown.js";
import { tokenizerErrors } from "../../tokenizer-errors.js";

/** A text has no token and the model no token for unknown texts either. */
export function notEncodable(text: string): Error {
  return tokenizerErrors.VERL_DATA_TEXT_NOT_ENCODABLE({ what: `the tokenizer has no token for ${shown(text)}` });
}

/** Tokens `<0x00>` to `<0xFF>`, which stand for bytes where a character has no token of its own. */
export function byteTokens(idOf: (token: string) => number | undefined): readonly (number | undefined)[] {
  return Array.from({ length: 256 }, (_, byte) => idOf(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`));
}

/** Ids of the bytes of a text; null when one of them has no token. */
export function bytesToIds(text: string, tokens: readonly (number | undefined)[]): number[] | null {
  const ids: number[] = [];
  for (const byte of Buffer.from(text)) {
    const id = tokens[byte];
    if (id === undefined) return null;
    ids.push(id);
  }
  return ids;
}
