import { Activation, type Context, Run } from "./activation.js";
import { analyzeBody, analyzeExpressions, analyzeMacro, blocksIn, declareTarget, undeclaredNames } from "./analysis.js";
import type { Body, Signature, Statement, StatementOf } from "./ast.js";
import { BlockReference, TemplateReference } from "./block-reference.js";
import { fail, TemplateFailure } from "./errors.js";
import { compileCall, compileExpression, compileFilter, compileText } from "./expression-compiler.js";
import { type Compute, type Execute, type Frame, innerFrame, type Signal } from "./frame.js";
import { compileLoop } from "./loop-compiler.js";
import { Macro } from "./macro.js";
import { iterate, truthy } from "./operators.js";
import { Symbols } from "./symbols.js";
import { compileTarget } from "./target-compiler.js";
import { textArgument } from "./text.js";
import { PyTuple, type PyValue, Undefined } from "./values.js";
import { enter, leave, spend } from "./work.js";

/** Work of a macro call besides what is inside. */
const CALL = 24;

/** Compile a parsed template into the function that renders it. */
export function compileTemplate(body: Body): (context: Context) => string {
  return new StatementCompiler(body).render;
}

class StatementCompiler {
  private readonly blocks = new Map<string, (run: Run, context: Context) => void>();
  private readonly root: (run: Run, context: Context) => void;

  constructor(body: Body) {
    const blocks = blocksIn(body);
    this.root = this.function(body, true, []);
    for (const { name, body: content, line } of blocks) {
      if (this.blocks.has(name))
        throw new TemplateFailure("TemplateSyntaxError", `block '${name}' defined twice`, line);
      this.blocks.set(name, this.function(content, false, ["super"]));
    }
  }

  readonly render = (context: Context): string => {
    const run = new Run();
    return run.capture(() => this.root(run, context)).text;
  };

  /** The template itself or a block, with `self` and, in blocks, `super`. */
  private function(body: Body, topLevel: boolean, more: readonly string[]): (run: Run, context: Context) => void {
    const symbols = new Symbols();
    const special = [...undeclaredNames(body, ["self", ...more])].map(
      (name) => [name, symbols.parameter(name)] as const,
    );
    analyzeBody(symbols, body);
    const code = this.body(body, { symbols, topLevel, soft: false, folding: false, loops: 0 });
    return (run, context) => {
      const at = new Activation(run, context);
      for (const [name, slot] of special) {
        const missing = new Undefined("there is no parent block");
        at.set(slot, name === "super" ? missing : this.reference(run, context));
      }
      at.enter(symbols);
      code(at);
    };
  }

  private reference(run: Run, context: Context): TemplateReference {
    return new TemplateReference((name) => {
      const block = this.blocks.get(name);
      return block && new BlockReference(() => run.capture(() => block(run, context)).text);
    });
  }

  private body(body: Body, frame: Frame): Execute {
    const statements = body.map((statement) => this.statement(statement, frame));
    return (at) => {
      enter(2);
      let signal: Signal;
      for (const execute of statements) {
        spend(1);
        signal = execute(at);
        if (signal) break;
      }
      leave(2);
      return signal;
    };
  }

  /** Failures learn the line of the innermost statement around them. */
  private statement(statement: Statement, frame: Frame): Execute {
    const located = <T>(run: () => T): T => {
      try {
        return run();
      } catch (error) {
        if (error instanceof TemplateFailure) error.line ??= statement.line;
        throw error;
      }
    };
    const execute = located(() => this.compile(statement, frame));
    return (at) => located(() => execute(at));
  }

  private compile(statement: Statement, frame: Frame): Execute {
    switch (statement.type) {
      case "text":
        return (at) => void at.run.print(statement.text);
      case "print": {
        const texts = statement.values.map((value) => compileText(value, frame));
        return (at) => {
          for (const text of texts) at.run.print(text(at));
          return undefined;
        };
      }
      case "if":
        return this.if(statement, { ...frame, soft: true });
      case "for":
        return compileLoop(statement, frame, (body, inner) => this.body(body, inner));
      case "set": {
        const value = compileExpression(statement.value, frame);
        const assign = compileTarget(statement.target, frame);
        return (at) => void assign(at, value(at));
      }
      case "setBlock":
        return this.setBlock(statement, frame);
      case "macro": {
        const macro = this.macro(statement.name, statement.signature, statement.body, frame);
        const assign = compileTarget({ type: "store", name: statement.name }, frame);
        return (at) => void assign(at, macro(at));
      }
      case "call": {
        const caller = this.macro(null, statement.signature, statement.body, frame);
        const call = compileCall(statement.call, frame, caller);
        return (at) => void at.run.print(textOnly(call(at)));
      }
      case "generation": {
        const caller = this.macro(null, { parameters: [], defaults: [] }, statement.body, frame);
        return (at) => void at.run.print(caller(at).call([], new Map()));
      }
      case "filterBlock":
        return this.filterBlock(statement, frame);
      case "with":
        return this.with(statement, frame);
      case "block":
        return this.block(statement, frame);
      case "load":
        return this.load(statement, frame);
      case "extends": {
        if (!frame.topLevel) fail("TemplateSyntaxError", "cannot use extend from a non top-level scope");
        return () => fail("TypeError", "a chat template cannot extend another template");
      }
      case "break":
      case "continue": {
        const { type } = statement;
        if (frame.loops === 0) fail("TemplateSyntaxError", `'${type}' outside a loop`);
        return () => type;
      }
    }
  }

  private if({ branches, otherwise }: StatementOf<"if">, frame: Frame): Execute {
    const compiled = branches.map(({ test, body }) => ({
      test: compileExpression(test, frame),
      body: this.body(body, frame),
    }));
    const last = this.body(otherwise, frame);
    return (at) => (compiled.find(({ test }) => truthy(test(at)))?.body ?? last)(at);
  }

  private setBlock({ target, filter, body }: StatementOf<"setBlock">, frame: Frame): Execute {
    const symbols = frame.symbols.inner();
    analyzeBody(symbols, body);
    const inner = innerFrame(frame, symbols);
    const code = this.body(body, inner);
    const assign = compileTarget(target, frame);
    const filtered = filter && compileFilter(filter, inner);
    return (at) => {
      at.enter(symbols);
      const { text, result } = at.run.capture(() => code(at));
      if (result) return result;
      assign(at, filtered ? filtered(at, text) : text);
      at.leave(symbols);
      return undefined;
    };
  }

  private filterBlock({ filter, body }: StatementOf<"filterBlock">, frame: Frame): Execute {
    const symbols = frame.symbols.inner();
    analyzeBody(symbols, body);
    analyzeExpressions(symbols, filter);
    const inner = innerFrame(frame, symbols);
    const code = this.body(body, inner);
    const filtered = compileFilter(filter, inner);
    return (at) => {
      at.enter(symbols);
      const { text, result } = at.run.capture(() => code(at));
      if (result) return result;
      at.run.print(textOnly(filtered(at, text)));
      at.leave(symbols);
      return undefined;
    };
  }

  private with({ targets, values, body }: StatementOf<"with">, frame: Frame): Execute {
    const symbols = frame.symbols.inner();
    for (const target of targets) declareTarget(symbols, target);
    analyzeBody(symbols, body);
    const inner = innerFrame(frame, symbols);
    // Values are computed outside: `{% with a = 1, b = a %}` does not see the new `a`.
    const assignments = targets.map((target, i) => ({
      assign: compileTarget(target, inner),
      value: compileExpression(values[i], frame),
    }));
    const code = this.body(body, inner);
    return (at) => {
      at.enter(symbols);
      for (const { assign, value } of assignments) assign(at, value(at));
      const signal = code(at);
      at.leave(symbols);
      return signal;
    };
  }

  private block({ name, scoped }: StatementOf<"block">, { symbols }: Frame): Execute {
    return (at) => {
      const locals = new Map<string, PyValue>();
      for (const [variable, slot] of scoped ? symbols.visibleStores() : []) {
        const value = at.get(slot);
        if (value !== undefined) locals.set(variable, value);
      }
      this.blocks.get(name)?.(at.run, scoped ? at.context.derived(locals) : at.context);
      return undefined;
    };
  }

  /** There are no other templates. Only an empty list of candidates that may be missing is no error. */
  private load({ template, ignoreMissing }: StatementOf<"load">, frame: Frame): Execute {
    const source = compileExpression(template, frame);
    return (at) => {
      const value = source(at);
      const isEmpty = (Array.isArray(value) || value instanceof PyTuple) && [...iterate(value)].length === 0;
      if (isEmpty && ignoreMissing) return undefined;
      return fail("TypeError", "a chat template cannot load other templates");
    };
  }

  private macro(name: string | null, signature: Signature, body: Body, frame: Frame): (at: Activation) => Macro {
    const symbols = frame.symbols.inner();
    const parameters = signature.parameters.map((parameter) => parameter.name);
    const repeated = parameters.find((parameter, i) => parameters.indexOf(parameter) < i);
    if (repeated) fail("TemplateSyntaxError", `duplicate argument '${repeated}' in a macro`);
    analyzeMacro(symbols, signature, body);
    const defaultOf = (i: number) => signature.defaults[i - parameters.length + signature.defaults.length];
    const special = undeclaredNames(body, ["caller", "kwargs", "varargs"]);
    const takesCaller = special.has("caller");
    const callerAt = parameters.indexOf("caller");
    if (takesCaller && callerAt >= 0 && !defaultOf(callerAt)) {
      fail("TemplateSyntaxError", "the parameter 'caller' must have a default");
    }
    for (const parameter of parameters) special.delete(parameter);
    const specialSlots = [...special].map((parameter) => [parameter, symbols.parameter(parameter)] as const);
    analyzeMacro(symbols, signature, body);
    const inner: Frame = { symbols, topLevel: false, soft: false, folding: false, loops: 0 };
    const slots = parameters.map((parameter) => symbols.slot(parameter));
    const fallbacks = parameters.map((parameter, i): Compute => {
      const fallback = defaultOf(i);
      return fallback
        ? compileExpression(fallback, inner)
        : () => new Undefined(`parameter '${parameter}' was not provided`);
    });
    const code = this.body(body, inner);
    const takes = { varargs: special.has("varargs"), kwargs: special.has("kwargs"), caller: takesCaller };
    return (outer) =>
      new Macro({
        name,
        parameters,
        takes,
        render: (values, extra) => {
          spend(CALL);
          const at = outer.inner();
          for (const [i, slot] of slots.entries()) at.set(slot, values[i]);
          for (const [parameter, slot] of specialSlots) at.set(slot, extra.get(parameter));
          at.enter(symbols);
          for (const [i, slot] of slots.entries()) if (values[i] === undefined) at.set(slot, fallbacks[i](at));
          return at.run.capture(() => code(at)).text;
        },
      });
  }
}

/** Call and filter blocks print only texts; unlike `{{ }}`, they convert nothing. */
function textOnly(value: PyValue): string {
  return textArgument(value, "what a block prints");
}
