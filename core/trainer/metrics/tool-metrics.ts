import { sessionName } from "../../transfer/index.js";
import type { TrainingRow } from "../step/training-row.js";

/** Sums over the sessions of a step of what their tools counted: `tool/calls`, outcomes, and tools' own metrics. */
export function toolMetrics(rows: readonly TrainingRow[]): Record<string, number> {
  const sums: Record<string, number> = {};
  const seen = new Set<string>();
  for (const { uid, session, metrics } of rows) {
    // Every trajectory of a session carries the numbers of all of them.
    const key = sessionName(uid, session);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const [name, value] of Object.entries(metrics)) {
      if (name.startsWith("tool/")) sums[name] = (sums[name] ?? 0) + value;
    }
  }
  return sums;
}
