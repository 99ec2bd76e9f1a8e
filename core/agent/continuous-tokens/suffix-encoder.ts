import type { Tokenizer } from "../../data/tokenizer.js";
import { isVerlError } from "../../host/errors.js";
import type { Suffix } from "./template-suffix.js";

const ANCHOR_TOKENS = 16;
const CACHED_ANCHORS = 64;

/**
 * Encodes text as it is encoded after other text: with the ids of a short stretch before it, compared as ids. Where a token
 * would span the border, the text is encoded by itself, since the ids before it are given.
 */
export class SuffixEncoder {
  readonly #anchors = new Map<string, { readonly text: string; readonly ids: readonly number[] }>();

  constructor(private readonly tokenizer: Pick<Tokenizer, "encode" | "decode">) {}

  encode({ after, text }: Suffix): number[] {
    if (text === "") return [];
    const anchor = this.#anchor(after);
    const ids = this.#ids(anchor.text + text);
    return startsWith(ids, anchor.ids) ? ids.slice(anchor.ids.length) : this.#ids(text);
  }

  /** The end of a text, if its last tokens are the same when it stands alone, else all of it. */
  #anchor(before: string): { readonly text: string; readonly ids: readonly number[] } {
    const known = this.#anchors.get(before);
    if (known) return known;
    const anchor = this.#newAnchor(before);
    if (this.#anchors.size >= CACHED_ANCHORS) this.#anchors.clear();
    this.#anchors.set(before, anchor);
    return anchor;
  }

  #newAnchor(before: string): { readonly text: string; readonly ids: readonly number[] } {
    let all: number[];
    try {
      all = this.#ids(before);
    } catch (error) {
      // Made-up conversations may have letters that a small vocabulary has not.
      if (isVerlError(error) && error.code !== "VERL_DATA_TEXT_NOT_ENCODABLE") throw error;
      return { text: "", ids: [] };
    }
    const ids = all.slice(-ANCHOR_TOKENS);
    const text = this.tokenizer.decode(ids);
    const alone = before.endsWith(text) && sameIds(this.#ids(text), ids);
    return alone ? { text, ids } : { text: before, ids: all };
  }

  #ids(text: string): number[] {
    return this.tokenizer.encode(text, { addSpecialTokens: false });
  }
}

export function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  return prefix.length <= ids.length && prefix.every((id, i) => id === ids[i]);
}

export function sameIds(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && startsWith(a, b);
}
