import type { Answer, Relation } from "./answer.js";
import { equalValues } from "./equal-values.js";
import type { Expression } from "./expression.js";
import { normalForm, Undefined } from "./normal-form.js";
import { addPolynomials, constantOf, type Polynomial, scale } from "./polynomial.js";
import { divide, negate } from "./rational.js";
import type { Steps } from "./steps.js";

type RelationAnswer = Extract<Answer, { kind: "relation" }>;

/** Whether two relations between two expressions say the same: `y = 2x + 3` and `2x - y + 3 = 0`, `x + y > 1` and `1 < x + y`. */
export function equalRelations(a: RelationAnswer, b: RelationAnswer, steps: Steps): boolean {
  const [x, y] = [oneSided(a), oneSided(b)];
  if (!x || !y || x.operator !== y.operator) return false;
  try {
    return proportional(x.difference, y.difference, x.operator === "=" || x.operator === "!=", steps);
  } catch (error) {
    if (error instanceof Undefined) return false;
    throw error;
  }
}

/** `difference operator 0`, the operator being one of =, !=, > and >=. */
function oneSided({ sides, operators }: RelationAnswer): { difference: Expression; operator: Relation } | null {
  const [left, right] = sides;
  const [operator] = operators;
  if (sides.length !== 2 || left.kind !== "value" || right.kind !== "value") return null;
  const less = operator === "<" || operator === "<=";
  const [high, low] = less ? [right.expression, left.expression] : [left.expression, right.expression];
  const difference: Expression = { type: "add", terms: [high, { type: "negate", of: low }] };
  return { difference, operator: operator === "<" ? ">" : operator === "<=" ? ">=" : operator };
}

/** Whether a = k·b for a rational number k, which must be positive unless any sign will do. */
function proportional(a: Expression, b: Expression, anySign: boolean, steps: Steps): boolean {
  const [x, y] = [polynomialOf(a, steps), polynomialOf(b, steps)];
  if (!x || !y) return equalValues(a, b, steps) || (anySign && equalValues(a, { type: "negate", of: b }, steps));
  const [key] = x.keys();
  const [own, other] = [x.get(key)?.coefficient, y.get(key)?.coefficient];
  if (!own || !other || x.size !== y.size) return false;
  const factor = divide(own, other);
  return (anySign || factor.num > 0n) && addPolynomials(x, scale(y, negate(factor)), steps).size === 0;
}

function polynomialOf(e: Expression, steps: Steps): Polynomial | null {
  const { num, den } = normalForm(e, steps);
  const divisor = constantOf(den);
  return divisor && scale(num, divide({ num: 1n, den: 1n }, divisor));
}
