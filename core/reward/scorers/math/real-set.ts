import type { Answer, Relation } from "./answer.js";
import { isName } from "./answer.js";
import { equalValues, realValue } from "./equal-values.js";
import { type Expression, number } from "./expression.js";
import { ZERO } from "./rational.js";
import type { Steps } from "./steps.js";

/** A bound of an interval. Infinity is never closed. */
interface Bound {
  readonly at: number;
  /** The exact bound; absent for infinity. */
  readonly exact: Expression | null;
  readonly closed: boolean;
}

interface Interval {
  readonly low: Bound;
  readonly high: Bound;
}

/** A set of real numbers: disjoint intervals in ascending order that do not touch. */
export type RealSet = readonly Interval[];

const BOTTOM: Bound = { at: Number.NEGATIVE_INFINITY, exact: null, closed: false };
const TOP: Bound = { at: Number.POSITIVE_INFINITY, exact: null, closed: false };
const ALL: RealSet = [{ low: BOTTOM, high: TOP }];

/** Answers that are sets of numbers and nothing else: unions, inequalities, ∅, ℝ. A pair may be a point. */
export function isSetLike(answer: Answer): boolean {
  if (answer.kind === "setOperation") return true;
  if (answer.kind === "relation") return answer.operators.some((operator) => operator !== "=");
  if (answer.kind === "list") return answer.items.every(isSetLike);
  if (answer.kind === "set") return answer.items.length === 0;
  return isSymbol(answer, "ℝ") || isSymbol(answer, "∅");
}

/** The set that an answer describes, or null. */
export function realSetOf(answer: Answer, steps: Steps): RealSet | null {
  steps.spend();
  const of = (part: Answer) => realSetOf(part, steps);
  switch (answer.kind) {
    case "value":
      if (isSymbol(answer, "ℝ")) return ALL;
      return isSymbol(answer, "∅") ? [] : interval(bound(answer, true, steps), bound(answer, true, steps));
    case "set":
      return answer.items.length === 0 ? [] : combine("∪", answer.items.map(of));
    case "tuple": {
      const [low, high] = answer.items;
      if (answer.items.length !== 2 || answer.open === "⟨") return null;
      return interval(bound(low, answer.open === "[", steps), bound(high, answer.close === "]", steps));
    }
    case "setOperation":
      return combine(answer.operator, answer.sets.map(of));
    case "list":
      return answer.items.every(isSetLike) ? combine(answer.joined === "or" ? "∪" : "∩", answer.items.map(of)) : null;
    case "relation":
      return inequality(answer.sides, answer.operators, steps);
    default:
      return null;
  }
}

export function equalSets(a: RealSet, b: RealSet, steps: Steps): boolean {
  const equalBounds = (x: Bound, y: Bound) =>
    x.closed === y.closed && (x.exact && y.exact ? equalValues(x.exact, y.exact, steps) : x.at === y.at);
  return a.length === b.length && a.every((x, i) => equalBounds(x.low, b[i].low) && equalBounds(x.high, b[i].high));
}

function isSymbol(answer: Answer, name: string): boolean {
  return answer.kind === "value" && answer.expression.type === "symbol" && answer.expression.name === name;
}

/** `x > 3`, `3 < x`, `1 < x ≤ 2`, `x ≠ 0`, `|x| < 2`, for a bare name x. */
function inequality(sides: readonly Answer[], operators: readonly Relation[], steps: Steps): RealSet | null {
  const at = sides.findIndex((side) => isName(side) && side.kind === "value");
  const middle = sides[at];
  if (middle?.kind !== "value") return null;
  const sets: (RealSet | null)[] = [];
  if (at > 0) {
    if (at !== 1) return null;
    sets.push(half(flipped(operators[0]), sides[0], steps));
  }
  if (at < sides.length - 1) {
    if (at !== sides.length - 2) return null;
    sets.push(half(operators[at], sides[at + 1], steps));
  }
  const set = combine("∩", sets);
  const isSize = middle.expression.type === "call";
  return isSize && set ? ofSize(set) : set;
}

/** The numbers whose absolute value is in the set. */
function ofSize(set: RealSet): RealSet {
  const zero: Bound = { at: 0, exact: number(ZERO), closed: true };
  const positive = intersection(set, [{ low: zero, high: TOP }]);
  const mirrored = positive.map(({ low, high }) => ({ low: opposite(high), high: opposite(low) })).reverse();
  return union(mirrored, positive);
}

function opposite({ at, exact, closed }: Bound): Bound {
  return { at: -at, exact: exact && { type: "negate", of: exact }, closed };
}

const flipped = (operator: Relation): Relation =>
  (({ "<": ">", ">": "<", "<=": ">=", ">=": "<=" }) as Partial<Record<Relation, Relation>>)[operator] ?? operator;

/** The numbers x with `x operator side`. */
function half(operator: Relation, side: Answer, steps: Steps): RealSet | null {
  const end = bound(side, operator.includes("="), steps);
  if (operator === ">" || operator === ">=") return interval(end, TOP);
  if (operator === "<" || operator === "<=") return interval(BOTTOM, end);
  const point = interval(end && { ...end, closed: true }, end && { ...end, closed: true });
  return operator === "=" ? point : point && complement(point);
}

function bound(answer: Answer, closed: boolean, steps: Steps): Bound | null {
  if (answer.kind !== "value" || answer.mark) return null;
  const at = realValue(answer.expression, steps);
  if (Number.isNaN(at)) return null;
  return Number.isFinite(at) ? { at, exact: answer.expression, closed } : at > 0 ? TOP : BOTTOM;
}

function interval(low: Bound | null, high: Bound | null): RealSet | null {
  if (!low || !high) return null;
  const empty = order(low, high) > 0 || (order(low, high) === 0 && !(low.closed && high.closed));
  return empty ? [] : [{ low, high }];
}

function combine(operator: "∪" | "∩" | "∖", sets: readonly (RealSet | null)[]): RealSet | null {
  const known = sets.filter((set) => set !== null);
  if (known.length < sets.length) return null;
  return known.reduce((a, b) => {
    if (operator === "∪") return union(a, b);
    return intersection(a, operator === "∖" ? complement(b) : b);
  });
}

/** Bounds nearer than rounding are the same bound. */
function order(a: Bound, b: Bound): number {
  const gap = a.at - b.at;
  if (a.at === b.at) return 0;
  const rounding = Number.isFinite(gap) ? 1e-12 * Math.max(Math.abs(a.at), Math.abs(b.at)) : 0;
  return Math.abs(gap) <= rounding ? 0 : gap;
}

function union(a: RealSet, b: RealSet): RealSet {
  const sorted = [...a, ...b].sort((x, y) => order(x.low, y.low) || Number(y.low.closed) - Number(x.low.closed));
  const result: Interval[] = [];
  for (const next of sorted) {
    const last = result.at(-1);
    const gap = last ? order(last.high, next.low) : -1;
    if (!last || gap < 0 || (gap === 0 && !last.high.closed && !next.low.closed)) result.push(next);
    else result[result.length - 1] = { low: last.low, high: higher(last.high, next.high) };
  }
  return result;
}

function higher(a: Bound, b: Bound): Bound {
  const difference = order(a, b);
  if (difference === 0) return a.closed ? a : b;
  return difference > 0 ? a : b;
}

function complement(set: RealSet): RealSet {
  const result: Interval[] = [];
  let low = BOTTOM;
  for (const part of set) {
    if (part.low.exact) result.push({ low, high: { ...part.low, closed: !part.low.closed } });
    low = part.high.exact ? { ...part.high, closed: !part.high.closed } : TOP;
  }
  if (low.at < TOP.at) result.push({ low, high: TOP });
  return result.filter((part) => order(part.low, part.high) < 0 || part.low.closed || part.high.closed);
}

function intersection(a: RealSet, b: RealSet): RealSet {
  return complement(union(complement(a), complement(b)));
}
