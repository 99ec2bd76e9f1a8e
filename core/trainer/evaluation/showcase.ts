import { NumpyRandom } from "../../tracking/index.js";
import type { TrainingRow } from "../step/training-row.js";

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

/** verl's seed for the same purpose. */
const SEED = 42;

/**
 * The validation samples to show after each validation: sorted by prompt text and shuffled with a fixed seed, as verl does, so
 * that the same prompts are seen every time, and not only those at the beginning of the file.
 */
export function validationShowcase<T>(rows: readonly T[], count: number, promptText: (row: T) => string): T[] {
  const sorted = rows
    // Code points, as Python compares: UTF-8 has their order.
    .map((row) => ({ row, text: Buffer.from(promptText(row)) }))
    .sort((a, b) => Buffer.compare(a.text, b.text));
  return new NumpyRandom(SEED)
    .shuffle(sorted)
    .slice(0, count)
    .map(({ row }) => row);
}
