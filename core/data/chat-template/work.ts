import { fail, tooDeep } from "./errors.js";

/**
 * What one rendering may compute. A template is not trusted to end, and values grow faster than loops run, so work is paid for
 * before it is done: about one unit an expression, statement, item or character that is read or written.
 */
export const MAX_WORK = 3_000_000;
/** Units that each character or value of the variables adds, so that long conversations are rendered like short ones. */
export const WORK_PER_INPUT = 100;
/** UTF-16 units of one text. */
export const MAX_TEXT = 50_000_000;
/** Items of a list that `+` or `*` makes. */
export const MAX_ITEMS = 1_000_000;
/** Levels of expressions, blocks, macro calls and values inside each other; Python stops at some 200 macro calls. */
const MAX_DEPTH = 2400;

/** Rendering is synchronous: the account of the one in progress. */
let left = Number.POSITIVE_INFINITY;
let depth = 0;

/** Run with an account of its own. */
export function withAccount<T>(units: number, body: () => T): T {
  const outer = [left, depth] as const;
  [left, depth] = [units, 0];
  try {
    return body();
  } finally {
    [left, depth] = outer;
  }
}

/** Pay for work that is about to be done. */
export function spend(units: number): void {
  left -= units;
  // Written so that NaN fails too.
  if (!(left >= 0)) fail("TemplateRuntimeError", "the template computes too much: its budget of work is used up");
}

/** Pay for a text of this length before it is made. */
export function spendText(length: number): void {
  if (!(length <= MAX_TEXT)) fail("OverflowError", `a text of more than ${MAX_TEXT} characters`);
  spend(length);
}

/** Pay for one text put after another: the longer one is not copied. */
export function spendAppended(left: number, right: number): void {
  if (left + right > MAX_TEXT) fail("OverflowError", `a text of more than ${MAX_TEXT} characters`);
  spend(Math.min(left, right));
}

/** Add to the account of the rendering in progress. */
export function earn(units: number): void {
  left += units;
}

/** Go some levels deeper; whoever returns normally leaves them again. */
export function enter(levels: number): void {
  depth += levels;
  if (depth > MAX_DEPTH) throw tooDeep();
}

export function leave(levels: number): void {
  depth -= levels;
}

/** The present level, for code that goes on after an exception. */
export function currentDepth(): number {
  return depth;
}

export function returnTo(level: number): void {
  depth = level;
}
