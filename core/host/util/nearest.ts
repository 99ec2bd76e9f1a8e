/** What a letter that is added, left out or replaced counts, in units of a swap of neighbours: fingers slip, and know the word. */
const EDIT = 3;
const SWAP = 1;

/** The candidate that a misspelt name most likely meant, or null when none is close: one wrong letter in three, and in any case one. */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const lower = name.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(EDIT, name.length) + 1;
  for (const candidate of candidates) {
    const text = candidate.toLowerCase();
    if (Math.abs(lower.length - text.length) * EDIT >= bestDistance) continue;
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
  let bestDistance = Math.floor(name.length / 4) * EDIT + 1;
  for (const candidate of candidates) {
    const distance = Math.min(...editsToBeginnings(lower, candidate.toLowerCase()));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** What it takes from `a` to the first 0, 1, … characters of `b`: letters inserted, deleted, replaced, or swapped with a neighbour. */
function editsToBeginnings(a: string, b: string): readonly number[] {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j * EDIT);
  for (let i = 1; i <= a.length; i++) {
    const row = [i * EDIT];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : EDIT;
      row[j] = Math.min(previous[j] + EDIT, row[j - 1] + EDIT, previous[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], beforePrevious[j - 2] + SWAP);
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
