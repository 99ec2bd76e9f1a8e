/** The candidate that a misspelt name most likely meant, or null when none is close. */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const lower = name.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const text = candidate.toLowerCase();
    if (Math.abs(lower.length - text.length) >= bestDistance) continue;
    const distance = editsToBeginnings(lower, text)[text.length];
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The candidate that a name most likely begins, misspelt and cut off: `train_bach` for `train_batch_size`. */
export function nearestBeginning(name: string, candidates: readonly string[]): string | null {
  const lower = name.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.floor(name.length / 4) + 1;
  for (const candidate of candidates) {
    const distance = Math.min(...editsToBeginnings(lower, candidate.toLowerCase()));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Edits (insert, delete, replace, swap of neighbours) from `a` to the first 0, 1, … characters of `b`. */
function editsToBeginnings(a: string, b: string): readonly number[] {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], beforePrevious[j - 2] + 1);
      }
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous;
}

/** "Did you mean "x"?" with a leading space, or nothing. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}
