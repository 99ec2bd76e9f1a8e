import type { Rational } from "./rational.js";

/** A mathematical expression as it is written: nothing is simplified. */
export type Expression =
  | NumberExpression
  | { readonly type: "symbol"; readonly name: string }
  | { readonly type: "negate"; readonly of: Expression }
  | { readonly type: "add"; readonly terms: readonly Expression[] }
  | { readonly type: "multiply"; readonly factors: readonly Expression[] }
  | { readonly type: "divide"; readonly over: Expression; readonly under: Expression }
  | { readonly type: "power"; readonly base: Expression; readonly exponent: Expression }
  | { readonly type: "root"; readonly degree: Expression; readonly of: Expression }
  | { readonly type: "call"; readonly name: string; readonly args: readonly Expression[] };

export interface NumberExpression {
  readonly type: "number";
  /** Of a mixed number the whole. */
  readonly value: Rational;
}

export const number = (value: Rational): NumberExpression => ({ type: "number", value });
export const symbol = (name: string): Expression => ({ type: "symbol", name });
export const call = (name: string, ...args: Expression[]): Expression => ({ type: "call", name, args });

/** Functions whose argument may stand without brackets; a logarithm has its base as a second argument. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp".split(" "),
);

/** Whether the expression has a symbol that is not a constant. */
export function hasVariable(expression: Expression): boolean {
  switch (expression.type) {
    case "number":
      return false;
    case "symbol":
      return !CONSTANTS.has(expression.name);
    case "negate":
      return hasVariable(expression.of);
    case "add":
      return expression.terms.some(hasVariable);
    case "multiply":
      return expression.factors.some(hasVariable);
    case "divide":
      return hasVariable(expression.over) || hasVariable(expression.under);
    case "power":
      return hasVariable(expression.base) || hasVariable(expression.exponent);
    case "root":
      return hasVariable(expression.degree) || hasVariable(expression.of);
    case "call":
      return expression.args.some(hasVariable);
  }
}

const CONSTANTS: ReadonlySet<string> = new Set(["π", "e", "i", "∞"]);
