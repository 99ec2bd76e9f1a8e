import type { Expression } from "./expression.js";
import { isInteger, rational, same } from "./rational.js";

/** `7`, `-3/4`, `\frac{1}{2}`, `2.5`: a number that needs no calculation. */
export function isPlainNumber(e: Expression): boolean {
  if (e.type === "negate") return isPlainNumber(e.of);
  if (e.type === "divide") return isPlainNumber(e.over) && isPlainNumber(e.under);
  return e.type === "number";
}

/**
 * Whether an expression for a number leaves no calculation open. Sums, products, powers and functions of numbers do:
 * `2 + 3`, `2^{10}` and `5!` repeat the question. Fractions, roots and scientific notation are ways to write a number.
 */
export function isEvaluated(e: Expression): boolean {
  switch (e.type) {
    case "negate":
      return isEvaluated(e.of);
    case "divide":
      return isEvaluated(e.over) && isEvaluated(e.under);
    case "root":
      return isEvaluated(e.of);
    case "power":
      return isPowerOfTen(e);
    case "multiply":
      return e.factors.filter(isPlainNumber).length < 2 && e.factors.every(isEvaluated);
    case "add":
    case "call":
      return false;
    default:
      return true;
  }
}

function isPowerOfTen({ base, exponent }: Extract<Expression, { type: "power" }>): boolean {
  const size = exponent.type === "negate" ? exponent.of : exponent;
  return base.type === "number" && same(base.value, rational(10)) && size.type === "number" && isInteger(size.value);
}
