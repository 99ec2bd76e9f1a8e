import {
  type MediaIntake,
  type MediaLibrary,
  type MediaRef,
  mediaPartsOf,
  type PlacedMedia,
  referenceTo,
} from "../../data/index.js";
import type { ChatMessage } from "../../data/tokenizer.js";

/** For the advice of errors. */
export const MEDIA_FIX =
  "build prompts with preparePrompt, take later media in with media.take, and return in multiModalData what both say of their places";

/** Why media cannot stand where they are said to; null if they can. */
export function placeProblem(media: readonly PlacedMedia[], tokens: number): string | null {
  let end = 0;
  for (const [i, placed] of media.entries()) {
    const { kind, id, offset, length } = (placed ?? {}) as Partial<PlacedMedia>;
    if (typeof kind !== "string" || typeof id !== "string") return `multiModalData[${i}] is no reference to a medium`;
    if (!isCount(offset) || !isCount(length) || length < 1) {
      return `multiModalData[${i}] has the place ${offset} and the length ${length}`;
    }
    if (offset < end) return `multiModalData[${i}] begins at token ${offset}, before the end of the one before it`;
    end = offset + length;
    if (end > tokens) return `multiModalData[${i}] ends at token ${end} of ${tokens}`;
  }
  return null;
}

const isCount = (value: unknown): value is number => Number.isInteger(value);

/** The first medium that the run does not hold; null if it holds all. Nothing could be trained on such a one. */
export function strangeProblem(media: readonly PlacedMedia[], library: Pick<MediaLibrary, "find">): string | null {
  for (const [i, { kind, id }] of media.entries()) {
    const held = library.find(referenceTo({ id }));
    const name = `multiModalData[${i}] names the ${kind} ${id.slice(0, 8)}`;
    if (!held) return `${name}, which the run has not taken in`;
    if (held.kind !== kind) return `${name}, which is a medium of the kind ${held.kind}`;
  }
  return null;
}

/** The tokens of a trajectory, as far as its media are concerned. */
export interface TokensWithMedia {
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
  readonly media: readonly PlacedMedia[];
}

/**
 * Why the tokens are not those of the media that are said to stand there; null if they are. An engine would put what it computes of
 * a medium in the place of other tokens. Where the prompt shows media, `shown` are its messages: a placeholder that stands for
 * none of them is a picture that the model did not see.
 */
export async function tokensProblem(
  { promptIds, responseIds, media }: TokensWithMedia,
  intake: MediaIntake,
  shown: readonly ChatMessage[] | null,
): Promise<string | null> {
  const ids = (from: number, length: number) =>
    Array.from({ length }, (_, i) =>
      from + i < promptIds.length ? promptIds[from + i] : responseIds[from + i - promptIds.length],
    );
  for (const [i, placed] of media.entries()) {
    const own = await tokensOf(placed, intake);
    const there = ids(placed.offset, placed.length);
    const name = `multiModalData[${i}], the ${placed.kind} ${placed.id.slice(0, 8)}`;
    if (there.length !== own.length) return `${name}, has ${own.length} tokens, not ${there.length}`;
    const other = there.findIndex((id, t) => id !== own[t]);
    if (other >= 0) {
      return `${name}, has the token ${own[other]} where token ${placed.offset + other} of the sequence is ${there[other]}`;
    }
  }
  if (!shown || mediaPartsOf(shown).length === 0) return null;
  const isOf = (t: number) => media.some(({ offset, length }) => t >= offset && t < offset + length);
  const bare = promptIds.findIndex((id, t) => intake.placeholders.has(id) && !isOf(t));
  if (bare < 0) return null;
  const kind = intake.placeholders.get(promptIds[bare]);
  return `token ${bare} of the prompt is the placeholder of a medium of the kind ${kind}, and multiModalData names none there`;
}

/** A medium's tokens by the run's processor, which keeps them. */
async function tokensOf(placed: PlacedMedia, intake: MediaIntake): Promise<readonly number[]> {
  const part = { type: placed.kind, [placed.kind]: referenceTo(placed) };
  const { tokens } = await intake.take([{ role: "user", content: [part] }], { keep: "step" });
  return tokens.find(referenceTo(placed))?.ids ?? [];
}

/** The media with what the run knows of them, whatever else was said. */
export const asHeld = (media: readonly PlacedMedia[], library: Pick<MediaLibrary, "find">): readonly PlacedMedia[] =>
  media.map(({ offset, length, ...ref }) => ({
    ...((library.find(referenceTo(ref)) ?? ref) as MediaRef),
    offset,
    length,
  }));
