import type { Expression, FilterExpression, Parameter, Signature, Statement, StatementOf, Target } from "./ast.js";
import { TemplateFailure } from "./errors.js";
import { ExpressionParser } from "./expression-parser.js";
import { tokenizeTemplate } from "./lexer.js";
import { TokenStream } from "./token-stream.js";

/** Blocks inside each other; Python's limit is about the same. */
const MAX_BLOCKS = 100;
/** Expressions and blocks inside each other, long chains of operators included. */
const MAX_SYNTAX_DEPTH = 500;

/** Parse a whole template. Throws a TemplateFailure that knows its line. */
export function parseTemplate(source: string): readonly Statement[] {
  const program = new StatementParser(new TokenStream(tokenizeTemplate(source))).template();
  for (const statement of program) checkDepth(statement);
  return program;
}

/** A chain such as `a + a + …` nests as deep as it is long. Syntax trees hold plain data only, so this reaches every expression. */
function checkDepth(top: Statement): void {
  const open: (readonly [node: object, depth: number])[] = [[top, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next;
    if (depth > MAX_SYNTAX_DEPTH) {
      throw new TemplateFailure("TemplateSyntaxError", `nested more than ${MAX_SYNTAX_DEPTH} deep`, top.line);
    }
    const below = "type" in node ? depth + 1 : depth;
    for (const child of Object.values(node)) if (typeof child === "object" && child !== null) open.push([child, below]);
  }
}

/** Statement without its line, which the parser adds. */
type Unplaced<S> = S extends unknown ? Omit<S, "line"> : never;

class StatementParser extends ExpressionParser {
  /** Names of the tags that enclose the current place, for messages. */
  private readonly open: string[] = [];

  template(): Statement[] {
    const body = this.statements([]);
    if (!this.stream.is("end")) throw this.stream.unexpected();
    return body;
  }

  /** Statements up to a tag with one of these names; the tag's name is the next token then. */
  private statements(endNames: readonly string[]): Statement[] {
    const out: Statement[] = [];
    for (;;) {
      const { line } = this.stream.current;
      if (this.stream.is("data")) {
        out.push({ type: "text", text: this.stream.next().text, line });
      } else if (this.stream.is("variableBegin")) {
        this.stream.next();
        out.push({ type: "print", values: [this.tuple()], line });
        this.stream.expect("variableEnd");
      } else if (this.stream.is("blockBegin")) {
        this.stream.next();
        if (endNames.length > 0 && this.stream.is("name", ...endNames)) return out;
        const statement = this.statement();
        this.stream.expect("blockEnd");
        out.push({ ...statement, line } as Statement);
      } else if (endNames.length > 0) {
        throw this.stream.error(`the template ends inside '${this.open.at(-1)}'; expected ${endNames.join(" or ")}`);
      } else return out;
    }
  }

  private statement(): Unplaced<Statement> {
    const { text: name, line } = this.stream.expect("name");
    if (this.open.length === MAX_BLOCKS)
      throw this.stream.error(`more than ${MAX_BLOCKS} blocks inside each other`, line);
    this.open.push(name);
    const statement = this.statementOf(name, line);
    this.open.pop();
    return statement;
  }

  private statementOf(name: string, line: number): Unplaced<Statement> {
    switch (name) {
      case "if":
        return this.if();
      case "for":
        return this.for();
      case "set":
        return this.set();
      case "macro":
        return { type: "macro", name: this.name(), signature: this.signature(), body: this.closed("endmacro") };
      case "call":
        return this.call();
      case "filter": {
        const filter = this.filter(null);
        return { type: "filterBlock", body: this.closed("endfilter"), filter };
      }
      case "with":
        return this.with();
      case "generation":
        return { type: "generation", body: this.closed("endgeneration") };
      case "print":
        return this.print();
      case "block":
        return this.block();
      case "include":
        return this.include();
      case "import":
        return this.import();
      case "from":
        return this.from();
      case "extends":
        return { type: "extends", template: this.expression() };
      case "break":
      case "continue":
        return { type: name };
      default:
        throw this.stream.error(`unknown tag '${name}'`, line);
    }
  }

  private if(): Unplaced<StatementOf<"if">> {
    const branches: { test: Expression; body: Statement[] }[] = [];
    do {
      const test = this.tuple({ withCondition: false });
      branches.push({ test, body: this.body("elif", "else", "endif") });
    } while (this.stream.skip("name", "elif"));
    const otherwise = this.stream.next().text === "else" ? this.closed("endif") : [];
    return { type: "if", branches, otherwise };
  }

  private for(): Unplaced<StatementOf<"for">> {
    const target = this.target({ endNames: ["in"] });
    this.stream.expect("name", "in");
    const iterable = this.tuple({ withCondition: false, endNames: ["recursive"] });
    const condition = this.stream.skip("name", "if") ? this.expression() : null;
    const recursive = this.stream.skip("name", "recursive");
    const body = this.body("endfor", "else");
    const otherwise = this.stream.next().text === "else" ? this.closed("endfor") : [];
    return { type: "for", target, iterable, body, otherwise, condition, recursive };
  }

  private set(): Unplaced<Statement> {
    const target = this.target({ withNamespace: true });
    if (this.stream.skip("operator", "=")) return { type: "set", target, value: this.tuple() };
    const filter: FilterExpression | null = this.stream.skip("operator", "|") ? this.filter(null) : null;
    return { type: "setBlock", target, filter, body: this.closed("endset") };
  }

  private call(): Unplaced<StatementOf<"call">> {
    const signature = this.stream.is("operator", "(") ? this.signature() : { parameters: [], defaults: [] };
    const call = this.expression();
    if (call.type !== "call") throw this.stream.error("expected a call");
    return { type: "call", call, signature, body: this.closed("endcall") };
  }

  private with(): Unplaced<StatementOf<"with">> {
    const targets: Target[] = [];
    const values: Expression[] = [];
    while (!this.stream.is("blockEnd")) {
      if (targets.length > 0) this.stream.expect("operator", ",");
      targets.push(asParameters(this.target()));
      this.stream.expect("operator", "=");
      values.push(this.expression());
    }
    return { type: "with", targets, values, body: this.closed("endwith") };
  }

  private print(): Unplaced<StatementOf<"print">> {
    const values: Expression[] = [];
    while (!this.stream.is("blockEnd")) {
      if (values.length > 0) this.stream.expect("operator", ",");
      values.push(this.expression());
    }
    return { type: "print", values };
  }

  private block(): Unplaced<StatementOf<"block">> {
    const name = this.stream.expect("name").text;
    const scoped = this.stream.skip("name", "scoped");
    const required = this.stream.skip("name", "required");
    const body = this.closed("endblock");
    this.stream.skip("name", name);
    // A required block must be filled by another template, and there is none.
    if (required) throw this.stream.error(`the block '${name}' is required and cannot be filled`);
    return { type: "block", name, body, scoped };
  }

  private include(): Unplaced<StatementOf<"load">> {
    const template = this.expression();
    const ignoreMissing = this.skipNames(["ignore"], "missing");
    this.skipNames(["with", "without"], "context");
    return { type: "load", template, stores: [], ignoreMissing };
  }

  private import(): Unplaced<StatementOf<"load">> {
    const template = this.expression();
    this.stream.expect("name", "as");
    const stores = [this.name()];
    this.skipNames(["with", "without"], "context");
    return { type: "load", template, stores, ignoreMissing: false };
  }

  private from(): Unplaced<StatementOf<"load">> {
    const template = this.expression();
    this.stream.expect("name", "import");
    const stores: string[] = [];
    do {
      if (this.skipNames(["with", "without"], "context")) break;
      const name = this.name();
      if (name.startsWith("_")) throw this.stream.error("names starting with an underscore cannot be imported");
      stores.push(this.stream.skip("name", "as") ? this.name() : name);
    } while (!this.skipNames(["with", "without"], "context") && this.stream.skip("operator", ","));
    return { type: "load", template, stores, ignoreMissing: false };
  }

  /** Skip two names if they follow, such as `without context`. */
  private skipNames(first: readonly string[], second: string): boolean {
    const { following } = this.stream;
    if (!this.stream.is("name", ...first) || following.type !== "name" || following.text !== second) return false;
    this.stream.next();
    this.stream.next();
    return true;
  }

  private signature(): Signature {
    this.stream.expect("operator", "(");
    const parameters: Parameter[] = [];
    const defaults: Expression[] = [];
    while (!this.stream.skip("operator", ")")) {
      if (parameters.length > 0) this.stream.expect("operator", ",");
      parameters.push({ type: "parameter", name: this.name() });
      if (this.stream.skip("operator", "=")) defaults.push(this.expression());
      else if (defaults.length > 0) throw this.stream.error("a parameter without default follows one with");
    }
    return { parameters, defaults };
  }

  /** The end of a tag, for which a colon may stand before it as in Python, and statements up to a tag with one of these names. */
  private body(...endNames: readonly string[]): Statement[] {
    this.stream.skip("operator", ":");
    this.stream.expect("blockEnd");
    return this.statements(endNames);
  }

  /** As {@link body}, and the name of the closing tag. */
  private closed(endName: string): Statement[] {
    const body = this.body(endName);
    this.stream.next();
    return body;
  }
}

function asParameters(target: Target): Target {
  if (target.type === "targets") return { type: "targets", items: target.items.map(asParameters) };
  return target.type === "store" ? { type: "parameter", name: target.name } : target;
}
