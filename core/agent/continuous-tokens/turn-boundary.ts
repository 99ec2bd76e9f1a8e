/** How an assistant turn of a model meets what follows it. */
export interface BoundaryRule {
  /** Ids that the template writes after an assistant's text, e.g. end of turn and line feed. */
  readonly turnEnd: readonly number[];
  /** Ids that end generation. */
  readonly stopIds: ReadonlySet<number>;
  /** Ids that end a turn and begin the next one. */
  readonly sharedIds: ReadonlySet<number>;
}

/**
 * What is missing of the turn's end: the model stops at a token, the template goes on behind it. A stop token other than the
 * template's stands for it; a turn that was cut off is closed.
 */
export function missingEnd(seen: readonly number[], { turnEnd, stopIds, sharedIds }: BoundaryRule): readonly number[] {
  const last = seen[seen.length - 1];
  if (sharedIds.has(last)) return [];
  for (let count = turnEnd.length; count > 0; count--) {
    if (turnEnd.slice(0, count).every((id, i) => id === seen[seen.length - count + i])) return turnEnd.slice(count);
  }
  return stopIds.has(last) ? turnEnd.slice(turnEnd.findIndex((id) => stopIds.has(id)) + 1) : turnEnd;
}

/**
 * A token that ends one turn and begins the next stays the sampled one where the next turn begins with it, and is removed
 * where another one is due.
 */
export function joinShared(
  seen: readonly number[],
  next: readonly number[],
  { sharedIds }: BoundaryRule,
): { readonly removedPrefixCount: number; readonly nextIds: readonly number[] } {
  const last = seen[seen.length - 1];
  if (!sharedIds.has(last)) return { removedPrefixCount: 0, nextIds: next };
  return next[0] === last
    ? { removedPrefixCount: 0, nextIds: next.slice(1) }
    : { removedPrefixCount: 1, nextIds: next };
}
