import type { CompareOperator, Expression } from "./ast.js";
import { PrimaryParser } from "./primary-parser.js";

const COMPARISONS: readonly CompareOperator[] = ["==", "!=", "<", "<=", ">", ">="];
/** Expressions deeper than this are refused before they exhaust the stack. */
const MAX_DEPTH = 200;

/** Jinja's expression grammar, with its own ideas of precedence: unary minus binds tighter than `**`, which is left-associative. */
export class ExpressionParser extends PrimaryParser {
  private depth = 0;

  expression(withCondition = true): Expression {
    if (++this.depth > MAX_DEPTH) throw this.stream.error("the expression is nested too deeply");
    const value = withCondition ? this.conditional() : this.or();
    this.depth--;
    return value;
  }

  private conditional(): Expression {
    let value = this.or();
    while (this.stream.skip("name", "if")) {
      const test = this.or();
      const otherwise = this.stream.skip("name", "else") ? this.expression() : null;
      value = { type: "condition", test, yes: value, otherwise };
    }
    return value;
  }

  private or(): Expression {
    let left = this.and();
    while (this.stream.skip("name", "or")) left = { type: "logical", operator: "or", left, right: this.and() };
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.stream.skip("name", "and")) left = { type: "logical", operator: "and", left, right: this.not() };
    return left;
  }

  private not(): Expression {
    let negations = 0;
    while (this.stream.skip("name", "not")) negations++;
    let value = this.compare();
    for (; negations > 0; negations--) value = { type: "unary", operator: "not", value };
    return value;
  }

  private compare(): Expression {
    const first = this.sum();
    const rest: { operator: CompareOperator; value: Expression }[] = [];
    for (;;) {
      let operator: CompareOperator;
      if (this.stream.is("operator", ...COMPARISONS)) operator = this.stream.next().text as CompareOperator;
      else if (this.stream.skip("name", "in")) operator = "in";
      else if (this.stream.is("name", "not") && this.stream.following.text === "in") {
        this.stream.next();
        this.stream.next();
        operator = "not in";
      } else break;
      rest.push({ operator, value: this.sum() });
    }
    return rest.length === 0 ? first : { type: "compare", first, rest };
  }

  private sum(): Expression {
    let left = this.concat();
    while (this.stream.is("operator", "+", "-")) {
      const operator = this.stream.next().text as "+" | "-";
      left = { type: "binary", operator, left, right: this.concat() };
    }
    return left;
  }

  private concat(): Expression {
    const parts = [this.product()];
    while (this.stream.skip("operator", "~")) parts.push(this.product());
    return parts.length === 1 ? parts[0] : { type: "concat", parts };
  }

  private product(): Expression {
    let left = this.power();
    while (this.stream.is("operator", "*", "/", "//", "%")) {
      const operator = this.stream.next().text as "*" | "/" | "//" | "%";
      left = { type: "binary", operator, left, right: this.power() };
    }
    return left;
  }

  private power(): Expression {
    let left = this.unary();
    while (this.stream.skip("operator", "**")) left = { type: "binary", operator: "**", left, right: this.unary() };
    return left;
  }

  /** Signs bind tighter than filters, and looser than what is called or subscripted. */
  private unary(): Expression {
    const signs: ("-" | "+")[] = [];
    while (this.stream.is("operator", "-", "+")) signs.push(this.stream.next().text as "-" | "+");
    const operand = this.postfix(this.primary());
    return this.filters(
      signs.reduceRight<Expression>((value, operator) => ({ type: "unary", operator, value }), operand),
    );
  }
}
