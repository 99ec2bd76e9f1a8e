import type { Activation } from "./activation.js";
import { analyzeBody, analyzeExpressions, assignsName, blocksIn, declareTarget, undeclaredNames } from "./analysis.js";
import type { Body, StatementOf } from "./ast.js";
import { fail } from "./errors.js";
import { compileExpression } from "./expression-compiler.js";
import { type Execute, type Frame, innerFrame, type Signal } from "./frame.js";
import { LoopContext } from "./loop-context.js";
import { iterate, truthy } from "./operators.js";
import { compileRead, compileTarget } from "./target-compiler.js";
import { PyIterator, type PyValue } from "./values.js";
import { spend } from "./work.js";

/** Work of a round besides what is inside. */
const ROUND = 8;

type Loop = StatementOf<"for">;

/** Compile a for loop. Items are taken one by one, so that what a round does can change what a later condition says. */
export function compileLoop(node: Loop, frame: Frame, compileBody: (body: Body, frame: Frame) => Execute): Execute {
  if (assignsName(node, "loop")) fail("TemplateSyntaxError", "cannot assign to the special variable 'loop' in a loop");
  const symbols = frame.symbols.inner();
  const needsContext =
    node.recursive || undeclaredNames(node.body, ["loop"]).size > 0 || blocksIn(node).some(({ scoped }) => scoped);
  const loopSlot = needsContext ? symbols.parameter("loop") : null;
  declareTarget(symbols, node.target);
  analyzeBody(symbols, node.body);
  const elseSymbols = frame.symbols.inner();
  analyzeBody(elseSymbols, node.otherwise);

  // A recursive loop is a function of its own.
  const outer = node.recursive ? { ...frame, loops: 0 } : frame;
  const inner = innerFrame({ ...outer, loops: outer.loops + 1 }, symbols);
  const iterable = compileExpression(node.iterable, frame);
  const passing = compileCondition(node, frame, inner);
  const assign = compileTarget(node.target, inner);
  const body = compileBody(node.body, inner);
  const otherwise = compileBody(node.otherwise, innerFrame(outer, elseSymbols));

  const rounds = (
    at: Activation,
    source: PyValue,
    depth: number,
    recurse: ((items: PyValue) => string) | null,
  ): Signal => {
    const items = passing(at, source);
    const context = loopSlot ? new LoopContext(items, depth, recurse) : null;
    // The else branch runs unless a round came to its end: one that breaks or continues does not.
    let completed = false;
    for (const item of context ? context.rounds() : iterate(items)) {
      spend(ROUND);
      assign(at, item);
      if (context && loopSlot) at.set(loopSlot, context);
      at.enter(symbols);
      const signal = body(at);
      if (signal === "break") break;
      completed ||= signal === undefined;
    }
    at.leave(symbols);
    if (completed) return undefined;
    at.enter(elseSymbols);
    const signal = otherwise(at);
    at.leave(elseSymbols);
    return signal;
  };
  if (!node.recursive) return (at) => rounds(at, iterable(at), 0, null);

  const recursion = (outer: Activation, source: PyValue, depth: number): string => {
    const at = outer.inner();
    return at.run.capture(() => rounds(at, source, depth, (items) => recursion(outer, items, depth + 1))).text;
  };
  return (at) => void at.run.print(recursion(at, iterable(at), 0));
}

type Passing = (at: Activation, source: PyValue) => PyValue;

/** The `if` of a loop's header: a generator with variables of its own, under the names of the loop's. */
function compileCondition({ target, condition }: Loop, frame: Frame, inner: Frame): Passing {
  if (!condition) return (_, source) => source;
  const symbols = frame.symbols.inner();
  declareTarget(symbols, target);
  analyzeExpressions(symbols, condition);
  const assign = compileTarget(target, inner);
  const read = compileRead(target, inner);
  const test = compileExpression(condition, innerFrame(frame, symbols));
  return (outer, source) => {
    const at = outer.inner();
    function* passing(): Iterable<PyValue> {
      at.enter(symbols);
      for (const item of iterate(source)) {
        spend(ROUND);
        assign(at, item);
        if (truthy(test(at))) yield read(at);
      }
    }
    return new PyIterator(passing());
  };
}
