import type { JsonValue } from "../../host/types.js";
import { dataErrors } from "../errors.js";

/** A row as it stands in a file. */
export interface RawRow {
  readonly row: Readonly<Record<string, JsonValue>>;
  /** `file:line` (JSONL) or `file#row` from 0 (JSON lists, Parquet). */
  readonly origin: string;
}

/** A row that cannot be used, and why, as a sentence that begins with the row's origin. */
export interface BadRow {
  readonly origin: string;
  readonly what: string;
}

const SHOWN = 5;
/** Bad rows that are collected before a file is given up. */
export const MAX_BAD_ROWS = 100;

/** Several origins for a message: the first few and how many more. */
export function listSome(lines: readonly string[], separator = "\n"): string {
  const more = lines.length > SHOWN ? [`… and ${lines.length - SHOWN} more`] : [];
  return [...lines.slice(0, SHOWN), ...more].join(separator);
}

const orMore = (bad: readonly BadRow[]): string => (bad.length === MAX_BAD_ROWS ? " or more" : "");

/** `VERL_DATA_BAD_ROW` if there is any. */
export function refuseBadRows(bad: readonly BadRow[]): void {
  if (bad.length === 0) return;
  throw dataErrors.VERL_DATA_BAD_ROW({
    what: bad.length === 1 ? "a row cannot be used" : `${bad.length}${orMore(bad)} rows cannot be used`,
    where: listSome(bad.map(({ origin, what }) => `${origin} ${what}`)),
    data: { rows: bad.map(({ origin }) => origin) },
  });
}
