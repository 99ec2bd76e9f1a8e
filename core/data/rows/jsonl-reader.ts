import { reasonOf } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { endOfJsonString, parseOutsideJson } from "../../host/util/outside-json.js";
import { readRegularFile } from "../../host/util/regular-file.js";
import { shown } from "../../host/util/shown.js";
import { type BadRow, MAX_BAD_ROWS, type RawRow, refuseBadRows } from "./raw-row.js";

const NEWLINE = 0x0a;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LONG_DIGITS = /\d{16}/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The rows of a JSON Lines file: one object a line, blank lines skipped. Whole numbers too large for a float64 become their
 * decimal text, so that none is silently rounded.
 */
export async function readJsonlRows(file: string): Promise<RawRow[]> {
  return rowsOfLines(await readRegularFile(file), file);
}

/** The rows of a `.json` file: a list of objects, or else one object a line. */
export async function readJsonRows(file: string): Promise<RawRow[]> {
  const bytes = await readRegularFile(file);
  if (!/^\uFEFF?\s*\[/.test(bytes.toString("utf8", 0, 64))) return rowsOfLines(bytes, file);
  const rows = new RowCollector();
  rows.try(file, () => {
    for (const [i, value] of (parse(utf8.decode(bytes)) as JsonValue[]).entries()) {
      if (rows.isFull) break;
      rows.add(value, `${file}#${i}`);
    }
  });
  return rows.finish();
}

/** Lines end at newline bytes only: readers that also split at U+2028 would cut texts that hold it. */
function rowsOfLines(bytes: Buffer, file: string): RawRow[] {
  const rows = new RowCollector();
  for (let start = 0, line = 1; start < bytes.length && !rows.isFull; line++) {
    const at = bytes.indexOf(NEWLINE, start);
    const end = at < 0 ? bytes.length : at;
    const origin = `${file}:${line}`;
    rows.try(origin, () => {
      const text = utf8.decode(bytes.subarray(start, end)).trim();
      if (text !== "") rows.add(parse(text), origin);
    });
    start = end + 1;
  }
  return rows.finish();
}

/** Gathers rows and everything that is wrong with them, so that one message names several bad rows. */
class RowCollector {
  readonly #rows: RawRow[] = [];
  readonly #bad: BadRow[] = [];

  /** Nothing is learnt from reading on. */
  get isFull(): boolean {
    return this.#bad.length === MAX_BAD_ROWS;
  }

  try(origin: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#bad.push({ origin, what: `is not JSON: ${reasonOf(error)}` });
    }
  }

  add(value: JsonValue, origin: string): void {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      this.#rows.push({ row: value as RawRow["row"], origin });
    } else {
      this.#bad.push({ origin, what: `is ${Array.isArray(value) ? "a list" : shown(value)}, not an object` });
    }
  }

  finish(): RawRow[] {
    refuseBadRows(this.#bad);
    return this.#rows;
  }
}

function parse(text: string): JsonValue {
  return parseOutsideJson(LONG_DIGITS.test(text) ? quoteUnsafeIntegers(text) : text);
}

/** Numbers outside of strings. Not by one pattern: those go down the stack for every character of a long string. */
function quoteUnsafeIntegers(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    if (text[at] === '"') {
      at = endOfJsonString(text, at);
      continue;
    }
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text)?.[0];
    if (number && /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))) {
      pieces.push(text.slice(copied, at), `"${number}"`);
      copied = at + number.length;
    }
    at += number?.length ?? 1;
  }
  return pieces.join("") + text.slice(copied);
}
