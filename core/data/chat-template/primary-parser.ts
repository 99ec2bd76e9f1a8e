import type { CallArguments, Expression, SliceKey, Target } from "./ast.js";
import { readInteger, readString } from "./literals.js";
import type { TokenStream } from "./token-stream.js";

const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

/** Names that a macro's body sees without declaring them. */
const IMPLICIT: ReadonlySet<string> = new Set(["varargs", "kwargs", "caller"]);

const NO_ARGUMENTS: CallArguments = { positional: [], keywords: [], spread: null, spreadKeywords: null };

/** Literals, names, and what follows them: subscripts, calls, filters and tests. Operators are the business of the subclass. */
export abstract class PrimaryParser {
  /** Names of {@link IMPLICIT} that were read since the innermost macro began. */
  protected implicitReads = new Set<string>();

  constructor(protected readonly stream: TokenStream) {}

  /** A whole expression; without conditions, an `if` after it is left alone. */
  abstract expression(withCondition?: boolean): Expression;

  protected primary(): Expression {
    const token = this.stream.next();
    switch (token.type) {
      case "name": {
        if (IMPLICIT.has(token.text)) this.implicitReads.add(token.text);
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
        return { type: "constant", value: Number(token.text.replaceAll("_", "")) };
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
  tuple({
    parenthesised = false,
    withCondition = true,
    simple = false,
    endNames = [] as readonly string[],
  } = {}): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    while (!this.isTupleEnd(endNames)) {
      items.push(simple ? this.primary() : this.expression(withCondition));
      if (!this.stream.skip("operator", ",")) break;
      isTuple = true;
    }
    if (items.length === 1 && !isTuple) return items[0];
    if (items.length === 0 && !parenthesised) throw this.stream.unexpected();
    return { type: "tuple", items };
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
    do {
      keys.push(this.subscriptKey());
    } while (this.stream.skip("operator", ","));
    this.stream.expect("operator", "]");
    if (keys.length === 1) return { type: "item", object, key: keys[0] };
    return {
      type: "item",
      object,
      key: { type: "tuple", items: keys.filter((key): key is Expression => key.type !== "slice") },
    };
  }

  private subscriptKey(): Expression | SliceKey {
    const parts: (Expression | null)[] = [];
    let isSlice = false;
    for (let part: Expression | null = null; ; ) {
      if (this.stream.skip("operator", ":")) {
        isSlice = true;
        parts.push(part);
        part = null;
        continue;
      }
      if (this.stream.is("operator", "]", ",")) {
        if (!isSlice) {
          if (part === null) throw this.stream.error("expected a subscript");
          return part;
        }
        parts.push(part);
        break;
      }
      if (part !== null) throw this.stream.unexpected();
      part = this.expression();
    }
    if (parts.length > 3) throw this.stream.unexpected();
    return { type: "slice", start: parts[0] ?? null, stop: parts[1] ?? null, step: parts[2] ?? null };
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
  filter(value: Expression | null): Expression {
    let start = value === null;
    let result = value;
    while (start || this.stream.is("operator", "|")) {
      if (!start) this.stream.next();
      start = false;
      const { line } = this.stream.current;
      const name = this.dottedName();
      const args = this.stream.is("operator", "(") ? this.callArguments() : NO_ARGUMENTS;
      result = { type: "filter", value: result, name, args, line };
    }
    return result as Expression;
  }

  private test(value: Expression): Expression {
    const { line } = this.stream.next();
    const negated = this.stream.skip("name", "not");
    const name = this.dottedName();
    let args = NO_ARGUMENTS;
    if (this.stream.is("operator", "(")) args = this.callArguments();
    else if (this.startsTestArgument()) {
      if (this.stream.is("name", "is")) throw this.stream.error("tests cannot be chained with 'is'");
      args = { ...NO_ARGUMENTS, positional: [this.postfix(this.primary())] };
    }
    const test: Expression = { type: "test", value, name, args, line };
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
    if (
      withNamespace &&
      this.stream.is("name") &&
      this.stream.following.text === "." &&
      this.stream.following.type === "operator"
    ) {
      const object = this.stream.next().text;
      this.stream.next();
      return { type: "namespace", object, name: this.stream.expect("name").text };
    }
    const { line } = this.stream.current;
    return this.asTarget(this.tuple({ simple: true, endNames }), line);
  }

  /** A single name. */
  nameTarget(): Target & { readonly type: "name" } {
    const { line } = this.stream.current;
    return this.asTarget({ type: "name", name: this.stream.expect("name").text }, line) as Target & { type: "name" };
  }

  private asTarget(expression: Expression, line: number): Target {
    if (expression.type === "name") return { type: "name", name: expression.name };
    if (expression.type === "tuple") {
      return { type: "tuple", items: expression.items.map((item) => this.asTarget(item, line)) };
    }
    throw this.stream.error("cannot assign to this expression", line);
  }
}
