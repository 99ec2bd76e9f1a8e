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
  /** Why a sample was split. */
  readonly reason?: string;
}

/** The ids after an edit of `ids`. */
export function applyToIds(ids: readonly number[], edit: TokenEdit): number[] {
  if (edit.kind === "split" || edit.kind === "initial") return [...edit.appendedIds];
  return [...ids.slice(0, ids.length - edit.removedPrefixCount), ...edit.insertedIds, ...edit.appendedIds];
}
