import { getAttribute, getItem, getSlice } from "./access.js";
import { Activation, Context, Run } from "./activation.js";
import type { CallArguments, CallExpression, CompareOperator, Expression, FilterExpression, SliceKey } from "./ast.js";
import { hasUnwritableFloat, isWritable, mayBeConstant } from "./constants.js";
import { fail, TemplateFailure } from "./errors.js";
import { applyFilter, applyTest, isContextFilter, isFilter, isTest } from "./filters.js";
import type { Compute, Frame } from "./frame.js";
import { binary, compare, contains, equals, iterate, negate, positive, truthy } from "./operators.js";
import { Symbols } from "./symbols.js";
import { repr, str } from "./text.js";
import {
  type KeywordArguments,
  Markup,
  orElse,
  PyDict,
  PyObject,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";
import { enter, leave, spend, spendAppended, withAccount } from "./work.js";

/** The function that computes an expression. As in Jinja, what can be computed now is. */
export function compileExpression(node: Expression, frame: Frame): Compute {
  const constant = frame.folding || LITERALS.has(node.type) ? null : constantOf(node);
  if (constant && isWritable(constant.value)) return compileConstant(constant.value);
  return compileNode(node, frame);
}

/** Literals of containers are put together when they are reached. */
const LITERALS: ReadonlySet<string> = new Set(["name", "constant", "list", "tuple", "dict"]);

/** The function that gives the text which `{{ … }}` prints. */
export function compileText(node: Expression, frame: Frame): (at: Activation) => string {
  const text = attempt(() => {
    const constant = constantOf(node);
    return constant && str(constant.value);
  });
  if (text !== null) return () => text;
  const value = compileExpression(node, frame);
  return (at) => str(value(at));
}

/** Work that goes into one constant before the template runs; what takes more is computed when it is reached. */
const MAX_FOLDING = 100_000;
/** Work of a call or a dict besides what is inside. */
const CALL = 8;

/** The value of an expression without variables and calls; null when there is none, or when it fails. */
function constantOf(node: Expression): { readonly value: PyValue } | null {
  if (!mayBeConstant(node)) return null;
  const frame: Frame = { symbols: new Symbols(), topLevel: false, soft: true, folding: true, loops: 0 };
  const at = new Activation(new Run(), new Context(new Map()));
  return attempt(() => withAccount(MAX_FOLDING, () => ({ value: compileNode(node, frame)(at) })));
}

function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

function compileConstant(value: PyValue): Compute {
  if (!hasUnwritableFloat(value)) return () => value;
  return () => fail("NameError", `name '${repr(value)}' is not defined`);
}

/** Each value is paid for, and its depth counted. */
function compileNode(node: Expression, frame: Frame): Compute {
  const compute = compileUnpaid(node, frame);
  return (at) => {
    spend(1);
    enter(1);
    const value = compute(at);
    leave(1);
    return value;
  };
}

function compileUnpaid(node: Expression, frame: Frame): Compute {
  switch (node.type) {
    case "constant":
      return frame.folding ? () => node.value : compileConstant(node.value);
    case "name":
      return compileName(node.name, frame);
    case "list": {
      const items = node.items.map((item) => compileExpression(item, frame));
      return (at) => items.map((item) => item(at));
    }
    case "tuple": {
      const items = node.items.map((item) => compileExpression(item, frame));
      return (at) => new PyTuple(items.map((item) => item(at)));
    }
    case "dict": {
      const entries = node.entries.map((entry) => entry.map((part) => compileExpression(part, frame)));
      return (at) => {
        spend(CALL);
        return PyDict.of(entries.map(([key, value]) => [key(at), value(at)]));
      };
    }
    case "attribute": {
      const object = compileExpression(node.object, frame);
      return (at) => getAttribute(object(at), node.name);
    }
    case "item":
      return compileItem(node.object, node.key, frame);
    case "call":
      return compileCall(node, frame);
    case "filter":
      return compileFilter(node, frame);
    case "test": {
      if (!frame.soft && !isTest(node.name)) fail("TemplateSyntaxError", `no test named '${node.name}'`);
      const value = compileExpression(node.value, frame);
      const args = compileArguments(node.args, frame);
      return (at) => applyTest(node.name, value(at), ...args(at));
    }
    case "binary": {
      const [left, right] = [compileExpression(node.left, frame), compileExpression(node.right, frame)];
      return (at) => binary(node.operator, left(at), right(at));
    }
    case "unary": {
      const value = compileExpression(node.value, frame);
      if (node.operator === "not") return (at) => !truthy(value(at));
      return node.operator === "-" ? (at) => negate(value(at)) : (at) => positive(value(at));
    }
    case "logical": {
      const [left, right] = [compileExpression(node.left, frame), compileExpression(node.right, frame)];
      return (at) => {
        const value = left(at);
        return truthy(value) === (node.operator === "and") ? right(at) : value;
      };
    }
    case "compare":
      return compileComparison(node, frame);
    case "concat": {
      const parts = node.parts.map((part) => compileExpression(part, frame));
      return (at) => concat(parts.map((part) => str(part(at))));
    }
    case "condition":
      return compileCondition(node, { ...frame, soft: true });
  }
}

function compileName(name: string, { symbols, folding }: Frame): Compute {
  if (folding) return () => fail("NameError", `'${name}' is no constant`);
  const slot = symbols.slot(name);
  return (at) => orElse(at.get(slot), new Undefined(`'${name}' is undefined`));
}

function compileItem(node: Expression, key: Expression | SliceKey, frame: Frame): Compute {
  const object = compileExpression(node, frame);
  if (key.type !== "slice") {
    const item = compileExpression(key, frame);
    return (at) => getItem(object(at), item(at));
  }
  const bound = (part: Expression | null): Compute => (part ? compileExpression(part, frame) : () => null);
  const [start, stop, step] = [key.start, key.stop, key.step].map(bound);
  const slice: Compute = (at) => getSlice(object(at), start(at), stop(at), step(at));
  return frame.folding ? (at) => sliceOrUndefined(() => slice(at)) : slice;
}

/** Of constants, a slice is an item like any other: undefined where there is none. */
function sliceOrUndefined(slice: () => PyValue): PyValue {
  try {
    return slice();
  } catch (error) {
    if (error instanceof TemplateFailure && error.kind === "TypeError") return new Undefined(error.message);
    throw error;
  }
}

/** `caller` is what a call block hands to the function that it calls. */
export function compileCall(node: CallExpression, frame: Frame, caller?: Compute): Compute {
  if (frame.folding) return () => fail("TypeError", "a call is no constant");
  const callee = compileExpression(node.callee, frame);
  const args = compileArguments(node.args, frame, caller && { caller });
  return (at) => {
    const target = callee(at);
    const [positional, keywords] = args(at);
    spend(CALL);
    if (target instanceof Undefined) return target.fail();
    if (target instanceof PyObject && target.call) return target.call(positional, keywords);
    return fail("TypeError", `'${typeName(target)}' object is not callable`);
  };
}

/** The second argument of the function is the text of a filter or set block, which the innermost filter has instead of a value. */
export function compileFilter(node: FilterExpression, frame: Frame): (at: Activation, text?: string) => PyValue {
  const { name } = node;
  if (!frame.soft && !isFilter(name)) fail("TemplateSyntaxError", `no filter named '${name}'`);
  const value = node.value === null ? null : compileFiltered(node.value, frame);
  const args = compileArguments(node.args, frame);
  if (frame.folding && isContextFilter(name)) return () => fail("TypeError", `the filter '${name}' gives no constant`);
  return (at, text = "") => applyFilter(name, value ? value(at, text) : text, ...args(at));
}

function compileFiltered(node: Expression, frame: Frame): (at: Activation, text: string) => PyValue {
  return node.type === "filter" && takesText(node) ? compileFilter(node, frame) : compileExpression(node, frame);
}

function takesText({ value }: FilterExpression): boolean {
  return value === null || (value.type === "filter" && takesText(value));
}

type Arguments = [positional: PyValue[], keywords: KeywordArguments];

function compileArguments(
  node: CallArguments,
  frame: Frame,
  extra: Readonly<Record<string, Compute>> = {},
): (at: Activation) => Arguments {
  const positional = node.positional.map((value) => compileExpression(value, frame));
  const keywords = new Map<string, Compute>();
  const named: [string, Compute][] = node.keywords.map(([name, value]) => [name, compileExpression(value, frame)]);
  for (const [name, value] of [...named, ...Object.entries(extra)]) {
    if (keywords.has(name)) fail("TemplateSyntaxError", `keyword argument repeated: ${name}`);
    keywords.set(name, value);
  }
  const spread = node.spread && compileExpression(node.spread, frame);
  const spreadKeywords = node.spreadKeywords && compileExpression(node.spreadKeywords, frame);
  return (at) => {
    const values = positional.map((value) => value(at));
    const named = new Map<string, PyValue>();
    for (const [name, value] of keywords) named.set(name, value(at));
    if (spread) for (const value of iterate(spread(at))) values.push(value);
    if (spreadKeywords) addKeywords(named, spreadKeywords(at));
    return [values, named];
  };
}

function addKeywords(keywords: Map<string, PyValue>, more: PyValue): void {
  if (more instanceof Undefined) more.fail();
  if (!(more instanceof PyDict)) fail("TypeError", "the argument after ** must be a mapping");
  for (const [key, value] of more.entries()) {
    if (typeof key !== "string" && !(key instanceof Markup)) fail("TypeError", "keywords must be strings");
    if (keywords.has(str(key))) fail("TypeError", `got multiple values for keyword argument '${str(key)}'`);
    keywords.set(str(key), value);
  }
}

/** Texts put together without a copy of the longest, so that a text may grow piece by piece. */
function concat(parts: readonly string[]): string {
  return parts.reduce((left, right) => {
    spendAppended(left.length, right.length);
    return left + right;
  }, "");
}

function compileComparison({ first, rest }: Expression & { type: "compare" }, frame: Frame): Compute {
  const start = compileExpression(first, frame);
  const steps = rest.map(({ operator, value }) => ({ operator, value: compileExpression(value, frame) }));
  return (at) => {
    let left = start(at);
    for (const { operator, value } of steps) {
      const right = value(at);
      if (!holds(operator, left, right)) return false;
      left = right;
    }
    return true;
  };
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

function compileCondition(node: Expression & { type: "condition" }, frame: Frame): Compute {
  const test = compileExpression(node.test, frame);
  const yes = compileExpression(node.yes, frame);
  const nothing = "the inline if-expression evaluated to false and no else section was defined";
  const otherwise: Compute = node.otherwise
    ? compileExpression(node.otherwise, frame)
    : () => (frame.folding ? fail("UndefinedError", nothing) : new Undefined(nothing));
  return (at) => (truthy(test(at)) ? yes(at) : otherwise(at));
}
