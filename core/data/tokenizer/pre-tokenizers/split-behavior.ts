import { type Piece, slicePiece } from "../piece.js";
import type { Match } from "../regex/pattern.js";
import type { CodePointSet } from "../unicode/code-point-set.js";

export const SPLIT_BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"] as const;

/** What becomes of delimiters. */
export type SplitBehavior = (typeof SPLIT_BEHAVIORS)[number];

/** A part of a text; all parts together cover it. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly isMatch: boolean;
}

export interface SplitOptions {
  readonly behavior: SplitBehavior;
  /** The matches are what is kept, and what lies between them delimits. */
  readonly invert?: boolean;
}

export function splitAtMatches(piece: Piece, matches: readonly Match[], options: SplitOptions): Piece[] {
  const { behavior, invert = false } = options;
  const parts: Part[] = [];
  let from = 0;
  for (const [start, end] of matches) {
    if (from !== start) parts.push({ start: from, end: start, isMatch: invert });
    parts.push({ start, end, isMatch: !invert });
    from = end;
  }
  if (from !== piece.text.length) parts.push({ start: from, end: piece.text.length, isMatch: invert });
  const pieces: Piece[] = [];
  for (const { start, end } of ARRANGE[behavior](parts)) if (start < end) pieces.push(slicePiece(piece, start, end));
  return pieces;
}

type Span = Pick<Part, "start" | "end">;

const ARRANGE: Readonly<Record<SplitBehavior, (parts: readonly Part[]) => readonly Span[]>> = {
  Removed: (parts) => parts.filter(({ isMatch }) => !isMatch),
  Isolated: (parts) => parts,
  Contiguous: (parts) => merge(parts, (isMatch, before) => isMatch === before),
  MergedWithPrevious: (parts) => merge(parts, (isMatch, before) => isMatch && !before),
  MergedWithNext: (parts) => merge([...parts].reverse(), (isMatch, before) => isMatch && !before).reverse(),
};

/** Join parts to the one before them when `joins` says so, by whether each is a match. */
function merge(parts: readonly Part[], joins: (isMatch: boolean, beforeIsMatch: boolean) => boolean): Span[] {
  const spans: Span[] = [];
  let before = false;
  for (const { start, end, isMatch } of parts) {
    const last = spans.at(-1);
    if (last && joins(isMatch, before)) {
      spans[spans.length - 1] = { start: Math.min(last.start, start), end: Math.max(last.end, end) };
    } else {
      spans.push({ start, end });
    }
    before = isMatch;
  }
  return spans;
}

/** Every character of a set is a match of its own. */
export function matchesOfSet(text: string, set: CodePointSet): Match[] {
  const matches: Match[] = [];
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) as number;
    const next = i + (code > 0xffff ? 2 : 1);
    if (set.has(code)) matches.push([i, next]);
    i = next;
  }
  return matches;
}
