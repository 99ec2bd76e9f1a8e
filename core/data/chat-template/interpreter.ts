import { getAttribute, getItem, getSlice } from "./access.js";
import type { CallArguments, CompareOperator, Expression, Parameter, Statement, Takes, Target } from "./ast.js";
import { fail, TemplateFailure } from "./errors.js";
import { applyFilter, applyTest } from "./filters.js";
import { LoopContext } from "./loop-context.js";
import { Macro } from "./macro.js";
import { binary, compare, contains, equals, iterate, negate, positive, truthy } from "./operators.js";
import { Scope } from "./scope.js";
import { str } from "./text.js";
import {
  type KeywordArguments,
  Namespace,
  orElse,
  PyDict,
  PyFunction,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";
import { currentDepth, enter, leave, returnTo, spend, spendAppended, spendText } from "./work.js";

/** Work of a loop round, a call or a dict besides what is inside. */
const ROUND = 8;

/** What a macro and a call block have in common. */
interface Definition {
  readonly parameters: readonly Parameter[];
  readonly takes: Takes;
  readonly body: readonly Statement[];
}

class Break {}
class Continue {}

/** Renders a parsed template over one set of variables. */
export class Interpreter {
  private out: string[] = [];
  private written = 0;

  render(program: readonly Statement[], scope: Scope): string {
    return this.capture(() => this.run(program, scope));
  }

  /** What `body` prints, as a text. */
  private capture(body: () => void): string {
    const outer = { out: this.out, written: this.written };
    this.out = [];
    this.written = 0;
    enter(2);
    try {
      body();
      leave(2);
      spendText(this.written);
      return this.out.join("");
    } finally {
      this.out = outer.out;
      this.written = outer.written;
    }
  }

  private write(text: string): void {
    this.out.push(text);
    this.written += text.length;
  }

  private run(statements: readonly Statement[], scope: Scope): void {
    enter(2);
    for (const statement of statements) {
      try {
        spend(1);
        this.execute(statement, scope);
      } catch (error) {
        if (error instanceof TemplateFailure) error.line ??= statement.line;
        throw error;
      }
    }
    leave(2);
  }

  private execute(statement: Statement, scope: Scope): void {
    switch (statement.type) {
      case "text":
        this.write(statement.text);
        return;
      case "print":
        this.write(str(this.evaluate(statement.value, scope)));
        return;
      case "if": {
        const branch = statement.branches.find(({ test }) => truthy(this.evaluate(test, scope)));
        this.run(branch ? branch.body : statement.otherwise, scope);
        return;
      }
      case "for":
        this.loop(statement, this.evaluate(statement.iterable, scope), scope, 0);
        return;
      case "set":
        this.assign(statement.target, this.evaluate(statement.value, scope), scope);
        return;
      case "setBlock": {
        const text = this.capture(() => this.run(statement.body, new Scope(scope)));
        this.assign(statement.target, statement.filter ? this.filtered(statement.filter, text, scope) : text, scope);
        return;
      }
      case "macro":
        scope.set(statement.name, this.macro(statement, statement.name, scope));
        return;
      case "call": {
        const caller = this.macro(statement, "caller", scope);
        this.write(str(this.callExpression(statement.call, scope, new Map([["caller", caller]]))));
        return;
      }
      case "filterBlock": {
        const text = this.capture(() => this.run(statement.body, new Scope(scope)));
        this.write(str(this.filtered(statement.filter, text, scope)));
        return;
      }
      case "with": {
        const inner = new Scope(scope);
        // Values are computed outside: `{% with a = 1, b = a %}` does not see the new `a`.
        const values = statement.assignments.map(([, value]) => this.evaluate(value, scope));
        for (const [i, [target]] of statement.assignments.entries()) this.assign(target, values[i], inner);
        this.run(statement.body, inner);
        return;
      }
      case "scope":
        this.run(statement.body, new Scope(scope));
        return;
      case "break":
        throw new Break();
      case "continue":
        throw new Continue();
    }
  }

  private loop(statement: Statement & { type: "for" }, iterable: PyValue, scope: Scope, depth: number): void {
    let items = [...iterate(iterable)];
    if (statement.condition) {
      const { condition } = statement;
      items = items.filter((item) => {
        const inner = new Scope(scope);
        this.assign(statement.target, item, inner);
        return truthy(this.evaluate(condition, inner));
      });
    }
    const recurse = (inner: PyValue) => this.capture(() => this.loop(statement, inner, scope, depth + 1));
    const context = new LoopContext(items, depth, statement.recursive ? recurse : null);
    const level = currentDepth();
    let rounds = 0;
    for (const item of items) {
      spend(ROUND);
      const inner = new Scope(scope);
      inner.set("loop", context);
      context.index0 = rounds++;
      this.assign(statement.target, item, inner);
      try {
        this.run(statement.body, inner);
      } catch (signal) {
        if (!(signal instanceof Break || signal instanceof Continue)) throw signal;
        returnTo(level);
        if (signal instanceof Break) break;
      }
    }
    if (rounds === 0) this.run(statement.otherwise, new Scope(scope));
  }

  private macro({ parameters, takes, body }: Definition, name: string, scope: Scope): Macro {
    return new Macro({
      name,
      parameters: parameters.map((parameter) => parameter.name),
      takes,
      render: (values, special) => {
        spend(3 * ROUND);
        const inner = new Scope(scope);
        inner.set("caller", orElse(special.get("caller"), new Undefined("No caller defined")));
        for (const [key, value] of special) inner.set(key, value);
        parameters.forEach((parameter, i) => {
          const absent = () => new Undefined(`parameter '${parameter.name}' was not provided`);
          const fallback = () => (parameter.fallback ? this.evaluate(parameter.fallback, inner) : absent());
          const value = values[i];
          inner.set(parameter.name, value === undefined ? fallback() : value);
        });
        return this.capture(() => this.run(body, inner));
      },
    });
  }

  private assign(target: Target, value: PyValue, scope: Scope): void {
    if (target.type === "name") {
      scope.set(target.name, value);
      return;
    }
    if (target.type === "namespace") {
      const object = scope.get(target.object);
      if (!(object instanceof Namespace)) {
        fail("TemplateRuntimeError", `cannot assign attribute '${target.name}' on a non-namespace object`);
      }
      object.values.set(target.name, value);
      return;
    }
    if (value instanceof Undefined) value.fail();
    const items = [...iterate(value)];
    if (items.length !== target.items.length) {
      fail("ValueError", `cannot unpack ${items.length} values into ${target.items.length}`);
    }
    for (const [i, inner] of target.items.entries()) this.assign(inner, items[i], scope);
  }

  private evaluate(node: Expression, scope: Scope): PyValue {
    spend(1);
    enter(1);
    const value = this.valueOf(node, scope);
    leave(1);
    return value;
  }

  private valueOf(node: Expression, scope: Scope): PyValue {
    switch (node.type) {
      case "constant":
        return node.value;
      case "name":
        return orElse(scope.get(node.name), new Undefined(`'${node.name}' is undefined`));
      case "list":
        return node.items.map((item) => this.evaluate(item, scope));
      case "tuple":
        return new PyTuple(node.items.map((item) => this.evaluate(item, scope)));
      case "dict":
        spend(ROUND);
        return PyDict.of(node.entries.map(([key, value]) => [this.evaluate(key, scope), this.evaluate(value, scope)]));
      case "attribute":
        return getAttribute(this.evaluate(node.object, scope), node.name);
      case "item":
        return this.item(node, scope);
      case "call":
        return this.callExpression(node, scope, new Map());
      case "filter":
      case "test":
        return this.filterOrTest(node, scope);
      case "binary":
        return binary(node.operator, this.evaluate(node.left, scope), this.evaluate(node.right, scope));
      case "unary": {
        const value = this.evaluate(node.value, scope);
        return node.operator === "not" ? !truthy(value) : node.operator === "-" ? negate(value) : positive(value);
      }
      case "logical": {
        const left = this.evaluate(node.left, scope);
        return truthy(left) === (node.operator === "and") ? this.evaluate(node.right, scope) : left;
      }
      case "compare":
        return this.comparison(node, scope);
      case "concat":
        return concat(node.parts.map((part) => str(this.evaluate(part, scope))));
      case "condition":
        if (truthy(this.evaluate(node.test, scope))) return this.evaluate(node.yes, scope);
        if (node.otherwise) return this.evaluate(node.otherwise, scope);
        return new Undefined("the inline if-expression evaluated to false and no else section was defined");
    }
  }

  private item({ object, key }: Expression & { type: "item" }, scope: Scope): PyValue {
    const value = this.evaluate(object, scope);
    if (key.type !== "slice") return getItem(value, this.evaluate(key, scope));
    const bound = (part: Expression | null) => (part ? this.evaluate(part, scope) : null);
    return getSlice(value, bound(key.start), bound(key.stop), bound(key.step));
  }

  private comparison({ first, rest }: Expression & { type: "compare" }, scope: Scope): PyValue {
    let left = this.evaluate(first, scope);
    for (const { operator, value } of rest) {
      const right = this.evaluate(value, scope);
      if (!holds(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  private callExpression(node: Expression, scope: Scope, extra: KeywordArguments): PyValue {
    const { callee, args } = node as Expression & { type: "call" };
    const target = this.evaluate(callee, scope);
    const [positional, keywords] = this.arguments(args, scope);
    for (const [key, value] of extra) keywords.set(key, value);
    spend(ROUND);
    if (target instanceof PyFunction) return target.invoke(positional, keywords);
    if (target instanceof Macro) return target.call(positional, keywords);
    if (target instanceof LoopContext) return target.call(positional);
    if (target instanceof Undefined) return target.fail();
    return fail("TypeError", `'${typeName(target)}' object is not callable`);
  }

  private arguments(args: CallArguments, scope: Scope): [PyValue[], Map<string, PyValue>] {
    const positional = args.positional.map((value) => this.evaluate(value, scope));
    const keywords = new Map<string, PyValue>();
    for (const [name, value] of args.keywords) {
      if (keywords.has(name)) return fail("TypeError", `keyword argument '${name}' repeated`);
      keywords.set(name, this.evaluate(value, scope));
    }
    if (args.spread) for (const value of iterate(this.evaluate(args.spread, scope))) positional.push(value);
    if (args.spreadKeywords) {
      const more = this.evaluate(args.spreadKeywords, scope);
      if (!(more instanceof PyDict)) return fail("TypeError", "the argument after ** must be a mapping");
      for (const [key, value] of more.entries()) keywords.set(str(key), value);
    }
    return [positional, keywords];
  }

  private filterOrTest(node: Expression & { type: "filter" | "test" }, scope: Scope): PyValue {
    const value = this.evaluate(node.value as Expression, scope);
    const [args, kwargs] = this.arguments(node.args, scope);
    return node.type === "filter"
      ? applyFilter(node.name, value, args, kwargs)
      : applyTest(node.name, value, args, kwargs);
  }

  /** A chain of filters over the text of a block. */
  private filtered(filter: Expression, text: string, scope: Scope): PyValue {
    const { value, name, args: parsed } = filter as Expression & { type: "filter" };
    const input = value === null ? text : this.filtered(value, text, scope);
    const [args, kwargs] = this.arguments(parsed, scope);
    return applyFilter(name, input, args, kwargs);
  }
}

/** Texts put together without a copy of the longest, so that a text may grow piece by piece. */
function concat(parts: readonly string[]): string {
  return parts.reduce((left, right) => {
    spendAppended(left.length, right.length);
    return left + right;
  }, "");
}

function holds(operator: CompareOperator, left: PyValue, right: PyValue): boolean {
  switch (operator) {
    case "==":
      return equals(left, right);
    case "!=":
      return !equals(left, right);
    case "in":
      return contains(right, left);
    case "not in":
      return !contains(right, left);
    case "<":
      return compare(left, right, operator) < 0;
    case "<=":
      return compare(left, right, operator) <= 0;
    case ">":
      return compare(left, right, operator) > 0;
    case ">=":
      return compare(left, right, operator) >= 0;
  }
}
