import type { DataItem, Dataset } from "../../../core/data/index.js";

export { codedError, codedRejection, rejection } from "../transfer/support.js";

/** A data set of `rows` rows that are told apart by their number. */
export function numberedRows(rows: number): Dataset {
  const items = Array.from(
    { length: rows },
    (_, n): DataItem => ({
      messages: [{ role: "user", content: `row ${n}` }],
      row: { n },
      origin: `rows.jsonl:${n + 1}`,
    }),
  );
  return { length: rows, at: (index) => items[index], report: { files: ["rows.jsonl"], rows, overlong: 0 } };
}
