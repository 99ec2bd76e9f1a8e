import { type MediaRef, mediaLabel, type PlacedMedia } from "../../data/index.js";
import type { DecodeOptions, Tokenizer } from "../../data/tokenizer.js";

type Ids = Parameters<Tokenizer["decode"]>[0];

/** The text of tokens for people: a medium's name stands for its tokens. `media` count from token `from` of the ids' sequence. */
export function textWithMedia(
  tokenizer: Pick<Tokenizer, "decode">,
  ids: Ids,
  media: readonly PlacedMedia[] = [],
  { from = 0, ...decoding }: DecodeOptions & { readonly from?: number } = {},
): string {
  const own = mediaWithin(media, from, ids.length);
  if (own.length === 0) return tokenizer.decode(ids, decoding);
  const list = Array.from(ids);
  let text = "";
  let at = 0;
  for (const placed of own) {
    text += tokenizer.decode(list.slice(at, placed.offset), decoding) + mediaLabel(placed);
    at = placed.offset + placed.length;
  }
  return text + tokenizer.decode(list.slice(at), decoding);
}

/** The media of a stretch of so many tokens, with offsets from its first. */
export function mediaWithin(media: readonly PlacedMedia[], from: number, length: number): PlacedMedia[] {
  return media
    .filter(({ offset }) => offset >= from && offset < from + length)
    .map((placed) => ({ ...placed, offset: placed.offset - from }));
}

/** The texts of response tokens, with a medium's name at its first token and nothing at the others. */
export function namedMedia(tokens: readonly string[], media: readonly PlacedMedia[]): readonly string[] {
  if (media.length === 0) return tokens;
  const named = [...tokens];
  for (const { offset, length, ...ref } of media) {
    named.fill("", offset, offset + length);
    named[offset] = mediaLabel(ref satisfies MediaRef);
  }
  return named;
}
