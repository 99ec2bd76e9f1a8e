import { type PlacedMedia, shifted } from "../../data/index.js";

/**
 * What one step did to the tokens of a trajectory: `removedPrefixCount` ids were taken off the end of what was there, then
 * `insertedIds` (what stands between two turns) and `appendedIds` were added.
 *
 * - `initial`: the prompt; - `assistant`: sampled ids, mask 1; - `messages`: tool, user and system messages with the next
 *   generation prompt, mask 0;
 * - `split`: the template writes the history differently now, so a new sample began, whose prompt is `appendedIds`; the old
 *   one is kept as it was.
 */
export interface TokenEdit {
  readonly kind: "initial" | "assistant" | "messages" | "split";
  readonly removedPrefixCount: number;
  readonly insertedIds: readonly number[];
  readonly appendedIds: readonly number[];
  /** Media among the appended ids, with offsets from the first of these; absent where there are none. */
  readonly media?: readonly PlacedMedia[];
  /** Why a sample was split. */
  readonly reason?: string;
}

/** The media after an edit of a sequence with so many ids. */
export function applyToMedia(media: readonly PlacedMedia[], length: number, edit: TokenEdit): readonly PlacedMedia[] {
  const added = edit.media ?? [];
  if (edit.kind === "split" || edit.kind === "initial") return added;
  const kept = length - edit.removedPrefixCount;
  return [...media, ...shifted(added, kept + edit.insertedIds.length)];
}

/** The ids after an edit of `ids`. */
export function applyToIds(ids: readonly number[], edit: TokenEdit): number[] {
  if (edit.kind === "split" || edit.kind === "initial") return [...edit.appendedIds];
  return [...ids.slice(0, ids.length - edit.removedPrefixCount), ...edit.insertedIds, ...edit.appendedIds];
}
