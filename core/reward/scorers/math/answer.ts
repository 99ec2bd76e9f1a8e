import type { Expression } from "./expression.js";
import type { Unit } from "./units.js";

/** An answer as it is written. */
export type Answer =
  | ValueAnswer
  /** Values side by side, in any order: `2, 3`, `2 and 3`, `±2`. */
  | { readonly kind: "list"; readonly items: readonly Answer[]; readonly joined: "," | "and" | "or" }
  /** A point, a vector, or an interval. */
  | { readonly kind: "tuple"; readonly open: Bracket; readonly close: Bracket; readonly items: readonly Answer[] }
  | { readonly kind: "set"; readonly items: readonly Answer[] }
  | { readonly kind: "setOperation"; readonly operator: "∪" | "∩" | "∖"; readonly sets: readonly Answer[] }
  | { readonly kind: "matrix"; readonly rows: readonly (readonly Answer[])[] }
  /** `a = b`, `0 < x ≤ 1`: one operator between each two sides. */
  | { readonly kind: "relation"; readonly sides: readonly Answer[]; readonly operators: readonly Relation[] }
  | { readonly kind: "ratio"; readonly items: readonly Answer[] }
  /** Prose, in small letters and without spaces. */
  | { readonly kind: "text"; readonly text: string };

export interface ValueAnswer {
  readonly kind: "value";
  readonly expression: Expression;
  /** What it measures; null without a unit, or with words that are none. */
  readonly unit: Unit | null;
  readonly mark: "%" | "°" | null;
}

export type Bracket = "(" | "[" | ")" | "]" | "⟨" | "⟩";
export type Relation = "=" | "<" | ">" | "<=" | ">=" | "!=";

/** Whether an answer only names something: `x`, `f(x)`, `|AB|`, `(x, y)`, `a : b`, `\text{Area}`. */
export function isName(answer: Answer): boolean {
  if (answer.kind === "text") return true;
  if (answer.kind === "tuple" || answer.kind === "ratio") return answer.items.every(isName);
  return answer.kind === "value" && isNamePart(answer.expression);
}

function isNamePart(expression: Expression): boolean {
  if (expression.type === "symbol") return true;
  if (expression.type === "call")
    return ["abs", "tuple"].includes(expression.name) && expression.args.every(isNamePart);
  return expression.type === "multiply" && expression.factors.every(isNamePart);
}
