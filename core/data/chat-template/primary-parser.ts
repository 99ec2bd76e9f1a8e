import type { CallArguments, Expression, FilterExpression, SliceKey, Target } from "./ast.js";
import { readFloat, readInteger, readString } from "./literals.js";
import type { TokenStream } from "./token-stream.js";

const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

const NO_ARGUMENTS: CallArguments = { positional: [], keywords: [], spread: null, spreadKeywords: null };

/** Literals, names, and what follows them: subscripts, calls, filters and tests. Operators are the business of the subclass. */
export abstract class PrimaryParser {
  constructor(protected readonly stream: TokenStream) {}

  /** A whole expression; without conditions, an `if` after it is left alone. */
  abstract expression(withCondition?: boolean): Expression;

  protected primary(): Expression {
    const token = this.stream.next();
    switch (token.type) {
      case "name": {
        const constant = CONSTANTS.get(token.text);
        return constant === undefined ? { type: "name", name: token.text } : { type: "constant", value: constant };
      }
      case "string": {
        let value = readString(token);
        while (this.stream.is("string")) value += readString(this.stream.next());
        return { type: "constant", value };
      }
      case "integer":
        return { type: "constant", value: readInteger(token) };
      case "float":
        return { type: "constant", value: readFloat(token) };
      case "operator":
        if (token.text === "(") return this.parenthesised();
        if (token.text === "[") return { type: "list", items: this.listItems("]") };
        if (token.text === "{") return this.dict();
        break;
    }
    throw this.stream.error(
      token.type === "end" ? "unexpected end of the template" : `unexpected '${token.text}'`,
      token.line,
    );
  }

  private parenthesised(): Expression {
    const value = this.tuple({ parenthesised: true });
    this.stream.expect("operator", ")");
    return value;
  }

  /** One expression, or several with commas between them. */
  tuple({ parenthesised = false, withCondition = true, endNames = [] as readonly string[] } = {}): Expression {
    const { items, isTuple } = this.commaSeparated(() => this.expression(withCondition), endNames);
    if (items.length === 1 && !isTuple) return items[0];
    if (items.length === 0 && !parenthesised) throw this.stream.unexpected();
    return { type: "tuple", items };
  }

  private commaSeparated<T>(item: () => T, endNames: readonly string[]): { items: T[]; isTuple: boolean } {
    const items: T[] = [];
    let isTuple = false;
    while (!this.isTupleEnd(endNames)) {
      items.push(item());
      if (!this.stream.skip("operator", ",")) break;
      isTuple = true;
    }
    return { items, isTuple };
  }

  private isTupleEnd(endNames: readonly string[]): boolean {
    const { stream } = this;
    return (
      stream.is("variableEnd") ||
      stream.is("blockEnd") ||
      stream.is("operator", ")") ||
      (endNames.length > 0 && stream.is("name", ...endNames))
    );
  }

  private listItems(close: string): Expression[] {
    const items: Expression[] = [];
    while (!this.stream.skip("operator", close)) {
      if (items.length > 0) this.stream.expect("operator", ",");
      if (this.stream.skip("operator", close)) break;
      items.push(this.expression());
    }
    return items;
  }

  private dict(): Expression {
    const entries: [Expression, Expression][] = [];
    while (!this.stream.skip("operator", "}")) {
      if (entries.length > 0) this.stream.expect("operator", ",");
      if (this.stream.skip("operator", "}")) break;
      const key = this.expression();
      this.stream.expect("operator", ":");
      entries.push([key, this.expression()]);
    }
    return { type: "dict", entries };
  }

  protected postfix(value: Expression): Expression {
    for (;;) {
      if (this.stream.is("operator", ".", "[")) value = this.subscript(value);
      else if (this.stream.is("operator", "(")) value = { type: "call", callee: value, args: this.callArguments() };
      else return value;
    }
  }

  protected filters(value: Expression): Expression {
    for (;;) {
      if (this.stream.is("operator", "|")) value = this.filter(value);
      else if (this.stream.is("name", "is")) value = this.test(value);
      else if (this.stream.is("operator", "(")) value = { type: "call", callee: value, args: this.callArguments() };
      else return value;
    }
  }

  private subscript(object: Expression): Expression {
    if (this.stream.next().text === ".") {
      const token = this.stream.next();
      if (token.type === "name") return { type: "attribute", object, name: token.text };
      if (token.type !== "integer") throw this.stream.error("expected a name or a number after '.'", token.line);
      return { type: "item", object, key: { type: "constant", value: readInteger(token) } };
    }
    const keys: (Expression | SliceKey)[] = [];
    while (!this.stream.skip("operator", "]")) {
      if (keys.length > 0) this.stream.expect("operator", ",");
      keys.push(this.subscriptKey());
    }
    if (keys.length === 1) return { type: "item", object, key: keys[0] };
    const items = keys.map((key) => {
      if (key.type === "slice") throw this.stream.error("a slice cannot be one of several subscripts");
      return key;
    });
    return { type: "item", object, key: { type: "tuple", items } };
  }

  private subscriptKey(): Expression | SliceKey {
    const isEnd = () => this.stream.is("operator", ":", "]", ",");
    const start = this.stream.is("operator", ":") ? null : this.expression();
    if (!this.stream.skip("operator", ":")) return start as Expression;
    const stop = isEnd() ? null : this.expression();
    if (!this.stream.skip("operator", ":")) return { type: "slice", start, stop, step: null };
    const step = this.stream.is("operator", "]", ",") ? null : this.expression();
    return { type: "slice", start, stop, step };
  }

  callArguments(): CallArguments {
    this.stream.expect("operator", "(");
    const positional: Expression[] = [];
    const keywords: [string, Expression][] = [];
    let spread: Expression | null = null;
    let spreadKeywords: Expression | null = null;
    let first = true;
    while (!this.stream.skip("operator", ")")) {
      if (!first) this.stream.expect("operator", ",");
      if (!first && this.stream.skip("operator", ")")) break;
      first = false;
      if (spreadKeywords) throw this.stream.error("nothing may follow '**' arguments");
      if (this.stream.skip("operator", "*")) {
        if (spread) throw this.stream.error("only one '*' argument is allowed");
        spread = this.expression();
      } else if (this.stream.skip("operator", "**")) {
        spreadKeywords = this.expression();
      } else if (
        this.stream.is("name") &&
        this.stream.following.type === "operator" &&
        this.stream.following.text === "="
      ) {
        const name = this.stream.next().text;
        this.stream.next();
        keywords.push([name, this.expression()]);
      } else {
        if (spread || keywords.length > 0) throw this.stream.error("positional arguments come before others");
        positional.push(this.expression());
      }
    }
    return { positional, keywords, spread, spreadKeywords };
  }

  /** One or more `| name(...)`; without `value`, the first name stands at once (filter blocks). */
  filter(value: Expression | null): FilterExpression {
    if (value !== null) this.stream.expect("operator", "|");
    let result = value;
    for (;;) {
      const name = this.dottedName();
      const args = this.stream.is("operator", "(") ? this.callArguments() : NO_ARGUMENTS;
      result = { type: "filter", value: result, name, args };
      if (!this.stream.skip("operator", "|")) return result;
    }
  }

  private test(value: Expression): Expression {
    this.stream.next();
    const negated = this.stream.skip("name", "not");
    const name = this.dottedName();
    let args = NO_ARGUMENTS;
    if (this.stream.is("operator", "(")) args = this.callArguments();
    else if (this.startsTestArgument()) {
      if (this.stream.is("name", "is")) throw this.stream.error("tests cannot be chained with 'is'");
      args = { ...NO_ARGUMENTS, positional: [this.postfix(this.primary())] };
    }
    const test: Expression = { type: "test", value, name, args };
    return negated ? { type: "unary", operator: "not", value: test } : test;
  }

  private startsTestArgument(): boolean {
    const { stream } = this;
    if (stream.is("name", "else", "or", "and")) return false;
    return (
      stream.is("name") ||
      stream.is("string") ||
      stream.is("integer") ||
      stream.is("float") ||
      stream.is("operator", "[", "{")
    );
  }

  private dottedName(): string {
    let name = this.stream.expect("name").text;
    while (this.stream.skip("operator", ".")) name += `.${this.stream.expect("name").text}`;
    return name;
  }

  /** A name, `namespace.name` where allowed, or several with commas between them. */
  target({ endNames = [] as readonly string[], withNamespace = false } = {}): Target {
    const { items, isTuple } = this.commaSeparated(() => this.targetItem(withNamespace), endNames);
    if (items.length === 1 && !isTuple) return items[0];
    if (items.length === 0) throw this.stream.unexpected();
    return { type: "targets", items };
  }

  private targetItem(withNamespace: boolean): Target {
    const { current, following } = this.stream;
    if (withNamespace && current.type === "name" && following.type === "operator" && following.text === ".") {
      if (!CONSTANTS.has(current.text)) {
        this.stream.next();
        this.stream.next();
        return { type: "namespace", object: current.text, name: this.stream.expect("name").text };
      }
    }
    return this.asTarget(this.primary(), current.line);
  }

  /** A single name. */
  name(): string {
    const { line } = this.stream.current;
    const name = this.stream.expect("name").text;
    if (CONSTANTS.has(name)) throw this.stream.error(`cannot assign to '${name}'`, line);
    return name;
  }

  private asTarget(expression: Expression, line: number): Target {
    if (expression.type === "name") return { type: "store", name: expression.name };
    if (expression.type === "tuple") {
      return { type: "targets", items: expression.items.map((item) => this.asTarget(item, line)) };
    }
    throw this.stream.error("cannot assign to this expression", line);
  }
}
