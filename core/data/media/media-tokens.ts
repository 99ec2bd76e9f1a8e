import { dataErrors } from "../errors.js";
import { MEDIA_KINDS, type MediaKind, type MediaPart, type MediaRef, type PlacedMedia } from "./media.js";

/** A medium that can stand in a prompt: the ids that take the place of its placeholder. */
export interface PreparedMedia {
  readonly ref: MediaRef;
  readonly ids: readonly number[];
}

/** What encoding a conversation takes to know of its media. */
export interface MediaTokens {
  /** Placeholder ids. */
  readonly placeholders: ReadonlyMap<number, MediaKind>;
  /** What a part's reference (`sha256:…`) names; null where it was not taken in. */
  find(reference: unknown): PreparedMedia | null;
}

/** Ids of a prompt, and where its media stand in them. */
export interface EncodedMedia {
  readonly ids: readonly number[];
  readonly media: readonly PlacedMedia[];
}

/** For models that understand text alone. */
export const NO_MEDIA: MediaTokens = { placeholders: new Map(), find: () => null };

/**
 * The ids with every placeholder replaced by what stands for its medium. `parts` are the media of the conversation that the ids
 * were rendered from, in its order.
 *
 * @throws VERL_DATA_MEDIA_MARKS where the template has written other placeholders than there are media
 */
export function placeMedia(ids: readonly number[], parts: readonly MediaPart[], tokens: MediaTokens): EncodedMedia {
  const { placeholders } = tokens;
  if (parts.length === 0 && (placeholders.size === 0 || !ids.some((id) => placeholders.has(id)))) {
    return { ids, media: [] };
  }
  const written = ids.flatMap((id) => placeholders.get(id) ?? []);
  if (written.length !== parts.length || written.some((kind, i) => kind !== parts[i].kind)) {
    throw dataErrors.VERL_DATA_MEDIA_MARKS({
      what: `the chat template has written placeholders for ${counted(written)}, and the messages hold ${counted(parts.map(({ kind }) => kind))}`,
      why: "every medium must have one place in the prompt, in the order of the messages",
    });
  }
  const out: number[] = [];
  const media: PlacedMedia[] = [];
  for (const id of ids) {
    if (!placeholders.has(id)) {
      out.push(id);
      continue;
    }
    const prepared = tokens.find(parts[media.length].value);
    if (!prepared) throw dataErrors.VERL_DATA_MEDIA({ what: `the ${parts[media.length].kind} was not taken in` });
    media.push({ ...prepared.ref, offset: out.length, length: prepared.ids.length });
    for (const own of prepared.ids) out.push(own);
  }
  return { ids: out, media };
}

/** `2 images and 1 video`. */
function counted(kinds: readonly MediaKind[]): string {
  const counts = MEDIA_KINDS.flatMap((kind) => {
    const count = kinds.filter((other) => other === kind).length;
    const name = kind === "audio" ? "sound" : kind;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? "" : "s"}`];
  });
  return counts.length === 0 ? "no media" : counts.join(" and ");
}

/** The same media, so many tokens further on. */
export function shifted(media: readonly PlacedMedia[], by: number): readonly PlacedMedia[] {
  return by === 0 ? media : media.map((placed) => ({ ...placed, offset: placed.offset + by }));
}
