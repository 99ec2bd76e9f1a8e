import fc, { type Arbitrary } from "fast-check";

/** Pieces of a format in any order: what a grammar never makes. */
export function soup(pieces: readonly string[], maxLength = 40): Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { maxLength }).map((chosen) => chosen.join(""));
}

/** `open` so many times, then `close` as often. */
export function nested(open: string, close: string, depth: number, inside = ""): string {
  return open.repeat(depth) + inside + close.repeat(depth);
}
