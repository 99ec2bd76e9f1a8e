import type { Expression, Parameter, Statement, Takes } from "./ast.js";
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
  private loops = 0;
  /** Names of the tags that enclose the current place, for messages. */
  private readonly open: string[] = [];

  template(): Statement[] {
    const body = this.body([]);
    if (!this.stream.is("end")) throw this.stream.unexpected();
    return body;
  }

  /** Statements up to a tag with one of these names; the tag's name is the next token then. */
  private body(endNames: readonly string[]): Statement[] {
    const out: Statement[] = [];
    for (;;) {
      const { line } = this.stream.current;
      if (this.stream.is("data")) {
        out.push({ type: "text", text: this.stream.next().text, line });
      } else if (this.stream.is("variableBegin")) {
        this.stream.next();
        out.push({ type: "print", value: this.tuple(), line });
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
        return {
          type: "macro",
          name: this.nameTarget().name,
          ...this.definition(this.parameters(), "endmacro"),
        };
      case "call":
        return this.call();
      case "filter":
        return { type: "filterBlock", filter: this.filter(null), body: this.closed("endfilter") };
      case "with":
        return this.with();
      case "generation":
        return { type: "scope", body: this.isolated("endgeneration") };
      case "print":
        return { type: "print", value: this.tuple() };
      case "break":
      case "continue":
        if (this.loops === 0) throw this.stream.error(`'${name}' outside a loop`, line);
        return { type: name };
      default:
        throw this.stream.error(`unknown tag '${name}'`, line);
    }
  }

  private if(): Unplaced<Statement> {
    const branches: { test: Expression; body: Statement[] }[] = [];
    do {
      const test = this.tuple({ withCondition: false });
      this.stream.expect("blockEnd");
      branches.push({ test, body: this.body(["elif", "else", "endif"]) });
    } while (this.stream.skip("name", "elif"));
    let otherwise: Statement[] = [];
    if (this.stream.skip("name", "else")) otherwise = this.closed("endif");
    else this.stream.expect("name", "endif");
    return { type: "if", branches, otherwise };
  }

  private for(): Unplaced<Statement> {
    const target = this.target({ endNames: ["in"] });
    this.stream.expect("name", "in");
    const iterable = this.tuple({ withCondition: false, endNames: ["recursive"] });
    const condition = this.stream.skip("name", "if") ? this.expression() : null;
    const recursive = this.stream.skip("name", "recursive");
    this.stream.expect("blockEnd");
    this.loops++;
    const body = this.body(["endfor", "else"]);
    this.loops--;
    let otherwise: Statement[] = [];
    if (this.stream.skip("name", "else")) otherwise = this.closed("endfor");
    else this.stream.expect("name", "endfor");
    return { type: "for", target, iterable, condition, recursive, body, otherwise };
  }

  private set(): Unplaced<Statement> {
    const target = this.target({ withNamespace: true });
    if (this.stream.skip("operator", "=")) return { type: "set", target, value: this.tuple() };
    const piped = this.stream.is("operator", "|");
    if (piped) this.stream.next();
    const filter = piped ? this.filter(null) : null;
    return { type: "setBlock", target, filter, body: this.closed("endset") };
  }

  private call(): Unplaced<Statement> {
    const parameters = this.stream.is("operator", "(") ? this.parameters() : [];
    const call = this.expression();
    if (call.type !== "call") throw this.stream.error("expected a call");
    return { type: "call", call, ...this.definition(parameters, "endcall") };
  }

  private with(): Unplaced<Statement> {
    const assignments: [ReturnType<StatementParser["target"]>, Expression][] = [];
    while (!this.stream.is("blockEnd")) {
      if (assignments.length > 0) this.stream.expect("operator", ",");
      const target = this.nameTarget();
      this.stream.expect("operator", "=");
      assignments.push([target, this.expression()]);
    }
    return { type: "with", assignments, body: this.closed("endwith") };
  }

  private parameters(): Parameter[] {
    this.stream.expect("operator", "(");
    const parameters: Parameter[] = [];
    while (!this.stream.skip("operator", ")")) {
      if (parameters.length > 0) this.stream.expect("operator", ",");
      const { name } = this.nameTarget();
      const fallback = this.stream.skip("operator", "=") ? this.expression() : null;
      if (!fallback && parameters.at(-1)?.fallback)
        throw this.stream.error("a parameter without default follows one with");
      parameters.push({ name, fallback });
    }
    return parameters;
  }

  /** The body of a macro, and which of its implicit arguments it reads. Macros inside it count as part of it. */
  private definition(parameters: readonly Parameter[], endName: string) {
    const outer = this.implicitReads;
    const reads = new Set<string>();
    this.implicitReads = reads;
    const body = this.isolated(endName);
    for (const name of reads) outer.add(name);
    this.implicitReads = outer;
    const declaresCaller = parameters.some(({ name }) => name === "caller");
    const takes: Takes = {
      varargs: reads.has("varargs"),
      kwargs: reads.has("kwargs"),
      caller: reads.has("caller") || declaresCaller,
    };
    return { parameters, takes, body };
  }

  /** As {@link closed}, for a body that is a function of its own: it cannot break a loop around it. */
  private isolated(endName: string): Statement[] {
    const outer = this.loops;
    this.loops = 0;
    const body = this.closed(endName);
    this.loops = outer;
    return body;
  }

  /** The rest of a tag, its body, and the name of its closing tag. */
  private closed(endName: string): Statement[] {
    this.stream.expect("blockEnd");
    const body = this.body([endName]);
    this.stream.next();
    return body;
  }
}
