/** Padded forms of token lists, for code that works on rectangles. Masks come from lengths, never from token values. */
import { errors } from "./errors.js";

type Ids = ArrayLike<number>;

/** Rows filled up on the right to the longest row, or to `minLength` if that is more. */
export function padRows(rows: readonly Ids[], padTokenId: number, minLength = 0): number[][] {
  const width = Math.max(minLength, ...rows.map((row) => row.length));
  return rows.map((row) => padTo(row, width, padTokenId));
}

/** A row filled up to `width`; a longer row stays as it is. */
export function padTo(row: Ids, width: number, padTokenId: number, leftPad = false): number[] {
  const ids = Array.from(row);
  const fill = new Array<number>(Math.max(0, width - ids.length)).fill(padTokenId);
  return leftPad ? [...fill, ...ids] : [...ids, ...fill];
}

/** What is cut from a row that is too long: its beginning, its end, its middle, or nothing (an error). */
export type Truncation = "left" | "right" | "middle" | "error";

/** Exactly `length` entries. `middle` keeps the first ⌊length/2⌋ and the last ⌈length/2⌉. */
export function truncateTo(row: Ids, length: number, truncation: Truncation): number[] {
  const ids = Array.from(row);
  if (ids.length <= length) return ids;
  switch (truncation) {
    case "left":
      return ids.slice(ids.length - length);
    case "right":
      return ids.slice(0, length);
    case "middle": {
      const head = Math.floor(length / 2);
      return [...ids.slice(0, head), ...ids.slice(ids.length - (length - head))];
    }
    default:
      throw errors.VERL_ALGORITHMS_BAD_VALUE({
        what: `a prompt of ${ids.length} tokens is longer than ${length}`,
        why: `truncation is "${truncation}"`,
        fix: "Raise the limit, filter long prompts, or choose left, right or middle.",
      });
  }
}

/** The tokens of a row whose attention mask is 1. */
export function removePadding(row: Ids, attentionMask: Ids): number[] {
  return Array.from(row).filter((_, i) => attentionMask[i] !== 0);
}

/** 1 up to and including the first end-of-sequence token, then 0. For rows of which only the ids are known. */
export function maskUntilEos(row: Ids, eosTokenId: number | readonly number[]): number[] {
  const stops = new Set(typeof eosTokenId === "number" ? [eosTokenId] : eosTokenId);
  const first = Array.from(row).findIndex((id) => stops.has(id));
  return Array.from(row, (_, i) => (first < 0 || i <= first ? 1 : 0));
}

/** The last `responseLength` entries of an attention mask over prompt and response. */
export function responseMaskOf(attentionMask: Ids, responseLength: number): number[] {
  return Array.from(attentionMask).slice(attentionMask.length - responseLength);
}
