import type { TrainingRow } from "./training-row.js";

/** A few rows to show: whole groups from the front, best and worst of each, at most `limit`. */
export function showcase(rows: readonly TrainingRow[], limit: number): TrainingRow[] {
  const groups = new Map<string, TrainingRow[]>();
  for (const row of rows) groups.set(row.uid, [...(groups.get(row.uid) ?? []), row]);
  const chosen: TrainingRow[] = [];
  for (const group of groups.values()) {
    if (chosen.length >= limit) break;
    const ranked = [...group].sort((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity));
    chosen.push(ranked[0]);
    if (ranked.length > 1 && chosen.length < limit) chosen.push(ranked[ranked.length - 1]);
  }
  return chosen;
}
