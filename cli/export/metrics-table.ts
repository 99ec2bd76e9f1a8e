import { type MetricsLine, unmask } from "../../core/tracking/index.js";

/** The metrics of a run as a table: one row a logged step. */
export interface MetricsTable {
  readonly steps: readonly number[];
  /** ISO 8601; null where a line has none. */
  readonly times: readonly (string | null)[];
  /** In the order in which they were first logged; null where a step has no such metric. */
  readonly columns: ReadonlyMap<string, readonly (number | null)[]>;
}

/** `wanted` chooses metrics by name; the steps stay, with or without them. */
export function metricsTable(lines: readonly MetricsLine[], wanted: (name: string) => boolean): MetricsTable {
  const columns = new Map<string, (number | null)[]>();
  for (const [row, { data }] of lines.entries()) {
    for (const [name, value] of Object.entries(data)) {
      if (!wanted(name)) continue;
      let column = columns.get(name);
      if (!column) {
        column = new Array<number | null>(lines.length).fill(null);
        columns.set(name, column);
      }
      column[row] = unmask(value);
    }
  }
  return { steps: lines.map(({ step }) => step), times: lines.map(({ time }) => time ?? null), columns };
}
