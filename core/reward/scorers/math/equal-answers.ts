import { type Answer, isName, type ValueAnswer } from "./answer.js";
import { equalRelations } from "./equal-relations.js";
import { equalValues, nearlyEqual, rationalValue } from "./equal-values.js";
import { isEvaluated, isPlainNumber } from "./evaluated.js";
import { call, type Expression, hasVariable, number } from "./expression.js";
import { rational } from "./rational.js";
import { equalSets, isSetLike, realSetOf } from "./real-set.js";
import type { Steps } from "./steps.js";
import { conversion } from "./units.js";

export interface Comparison {
  readonly steps: Steps;
  /** Relative tolerance for real numbers; 0 compares exactly. */
  readonly tolerance: number;
  /** Whether `2 + 3` may stand for 5. */
  readonly unevaluated: boolean;
}

/** Whether the given answer says what the gold answer says. Not symmetric: names and units may be left out or added. */
export function equalAnswers(gold: Answer, given: Answer, c: Comparison): boolean {
  c.steps.spend();
  if (isSetLike(gold) || isSetLike(given)) {
    const [a, b] = [realSetOf(withoutName(gold), c.steps), realSetOf(withoutName(given), c.steps)];
    if (a && b) return equalSets(a, b, c.steps);
  }
  if (gold.kind === "relation" || given.kind === "relation") return equalNamed(gold, given, c);
  if (isMany(gold) || isMany(given)) return equalMany(gold, given, c);
  if (gold.kind === "text" && given.kind === "text") return gold.text === given.text;
  if (gold.kind === "value" && given.kind === "value") return equalMeasures(gold, given, c);
  if (gold.kind === "ratio" || given.kind === "ratio") return equalRatios(gold, given, c);
  if (gold.kind === "setOperation" && given.kind === "setOperation") {
    return gold.operator === given.operator && inOrder(gold.sets, given.sets, c);
  }
  return equalArrays(gold, given, c);
}

/** `x = 5` and `5`; two equations that are equivalent. */
function equalNamed(gold: Answer, given: Answer, c: Comparison): boolean {
  const goldIsRelation = gold.kind === "relation";
  if (goldIsRelation && given.kind === "relation") {
    if (equalRelations(gold, given, c.steps)) return true;
    if (!isName(given.sides[0])) return false;
  }
  const [a, b] = [withoutName(gold), goldIsRelation ? withoutName(given) : lastSide(given, c)];
  return a.kind !== "relation" && b !== null && b.kind !== "relation" && equalAnswers(a, b, c);
}

/** The value of `x = 5`; what is not of this form stays. */
function withoutName(answer: Answer): Answer {
  if (answer.kind !== "relation" || answer.operators.some((operator) => operator !== "=")) return answer;
  return isName(answer.sides[0]) ? answer.sides[answer.sides.length - 1] : answer;
}

/** What a chain of equations ends in, unless numbers in it contradict each other: `2 + 3 = 5`. */
function lastSide(answer: Answer, c: Comparison): Answer | null {
  if (answer.kind !== "relation" || answer.operators.some((operator) => operator !== "=")) return answer;
  const last = answer.sides[answer.sides.length - 1];
  const isNumeric = (side: Answer) => side.kind === "value" && !hasVariable(side.expression);
  if (!isNumeric(last)) return last;
  const numeric = answer.sides.filter(isNumeric);
  return numeric.every((side) => equalAnswers(last, side, { ...c, unevaluated: true })) ? last : null;
}

type Many = Extract<Answer, { kind: "list" | "set" }>;
const isMany = (answer: Answer): answer is Many => answer.kind === "list" || answer.kind === "set";

function equalMany(gold: Answer, given: Answer, c: Comparison): boolean {
  const ordered = (answer: Answer) => answer.kind === "list" && namesOf(answer.items).size === answer.items.length;
  if (gold.kind === "tuple" && isMany(given)) return ordered(given) && inOrder(gold.items, given.items, c);
  if (!isMany(gold)) return false;
  if (given.kind === "tuple") return ordered(gold) && inOrder(gold.items, given.items, c);
  if (!isMany(given)) return gold.items.length === 1 && equalAnswers(gold.items[0], given, c);
  // Without names, `x_1` and `x_2` are two of a kind, but `x` comes before `y`.
  if (ordered(gold) && !ordered(given) && namesOf(gold.items, /_\w+$/).size > 1)
    return inOrder(gold.items, given.items, c);
  const bothNamed = ordered(gold) && ordered(given);
  const sameName = (a: Answer, b: Answer) => !bothNamed || nameOf(a) === nameOf(b);
  return inAnyOrder(gold.items, given.items, (a, b) => sameName(a, b) && equalAnswers(a, b, c));
}

/** Every item has its partner. To say something twice adds nothing, unless the gold answer does (double roots). */
function inAnyOrder(
  gold: readonly Answer[],
  given: readonly Answer[],
  same: (a: Answer, b: Answer) => boolean,
): boolean {
  const partners = gold.map((a) => given.filter((b) => same(a, b)));
  const covered = new Set(partners.flat());
  const repeats = gold.some((a, i) => gold.slice(0, i).some((other) => same(other, a)));
  return (
    partners.every(({ length }) => length > 0) &&
    covered.size === given.length &&
    (!repeats || gold.length === given.length)
  );
}

/** The distinct names of `x = 1, y = 2`. */
function namesOf(items: readonly Answer[], without = /$/): ReadonlySet<string> {
  return new Set(items.flatMap((item) => nameOf(item)?.replace(without, "") ?? []));
}

function nameOf(answer: Answer): string | null {
  if (answer.kind !== "relation" || !isName(answer.sides[0]) || answer.sides[0].kind !== "value") return null;
  const { expression } = answer.sides[0];
  return expression.type === "symbol" ? expression.name : JSON.stringify(expression);
}

function inOrder(a: readonly Answer[], b: readonly Answer[], c: Comparison): boolean {
  return a.length === b.length && a.every((x, i) => equalAnswers(x, b[i], c));
}

function equalMeasures(gold: ValueAnswer, given: ValueAnswer, c: Comparison): boolean {
  if (isPlainNumber(gold.expression) && !c.unevaluated && !isEvaluated(given.expression)) return false;
  const equal = (factor: Expression | null) => {
    const scaled: Expression = factor ? { type: "multiply", factors: [given.expression, factor] } : given.expression;
    if (equalValues(gold.expression, scaled, c.steps)) return true;
    return c.tolerance > 0 && nearlyEqual(scaled, gold.expression, c.tolerance, c.steps);
  };
  if (gold.unit && given.unit) {
    const factor = conversion(given.unit, gold.unit);
    return factor !== null && equal(number(factor));
  }
  const { expression } = gold;
  if (expression.type === "call" && expression.name === "base" && given.expression.type === "number") {
    return equalValues(expression.args[0], given.expression, c.steps);
  }
  if (equal(null)) return true;
  if (gold.mark === given.mark) return false;
  // 25% is 1/4, and 90° are π/2; with the mark left out the numbers themselves are equal.
  if (given.mark === "%" || gold.mark === "%") return equal(number(given.mark ? rational(1, 100) : rational(100)));
  const degree = call("degrees", number(rational(1)));
  return equal(given.mark ? degree : { type: "divide", over: number(rational(1)), under: degree });
}

/** `3:4` and `6:8`, and `3/4` as well. */
function equalRatios(gold: Answer, given: Answer, c: Comparison): boolean {
  const [a, b] = [partsOfRatio(gold, c), partsOfRatio(given, c)];
  if (!a || !b || a.length !== b.length) return false;
  // `12:00` is a time.
  const noRatio = [...a, ...b].some((part) => rationalValue(part, c.steps)?.num === 0n);
  if (noRatio) return a.every((x, i) => equalValues(x, b[i], c.steps));
  const times = (...factors: Expression[]): Expression => ({ type: "multiply", factors });
  return a.every((x, i) => i === 0 || equalValues(times(x, b[0]), times(b[i], a[0]), c.steps));
}

function partsOfRatio(answer: Answer, c: Comparison): readonly Expression[] | null {
  if (answer.kind === "ratio") {
    return answer.items.every((item) => item.kind === "value") ? answer.items.map((item) => item.expression) : null;
  }
  const value = answer.kind === "value" ? rationalValue(answer.expression, c.steps) : null;
  return value && [number(rational(value.num)), number(rational(value.den))];
}

/** Tuples and matrices. A vector may be written as either. */
function equalArrays(gold: Answer, given: Answer, c: Comparison): boolean {
  if (gold.kind === "tuple" && given.kind === "tuple") {
    // Only a pair can be an interval, where brackets matter.
    const sameBrackets = gold.items.length !== 2 || (gold.open === given.open && gold.close === given.close);
    return sameBrackets && inOrder(gold.items, given.items, c);
  }
  if (gold.kind === "matrix" && given.kind === "matrix") {
    return gold.rows.length === given.rows.length && gold.rows.every((row, i) => inOrder(row, given.rows[i], c));
  }
  const [a, b] = [vectorOf(gold), vectorOf(given)];
  return a !== null && b !== null && inOrder(a, b, c);
}

function vectorOf(answer: Answer): readonly Answer[] | null {
  if (answer.kind === "tuple") return answer.items;
  if (answer.kind !== "matrix") return null;
  if (answer.rows.length === 1) return answer.rows[0];
  return answer.rows.every((row) => row.length === 1) ? answer.rows.map(([item]) => item) : null;
}
