import { isNumber } from "./arithmetic.js";
import { fail } from "./errors.js";
import { LoopContext } from "./loop-context.js";
import { Macro } from "./macro.js";
import { binary, compare, contains, equals, isIterable } from "./operators.js";
import { str } from "./text.js";
import { Markup, PyDict, PyFunction, PyObject, PyRange, PyTuple, type PyValue, Undefined } from "./values.js";

type Test = (value: PyValue, ...args: PyValue[]) => boolean;

const isText = (value: PyValue): boolean => typeof value === "string" || value instanceof Markup;
const eq: Test = (a, b) => equals(a, b);
const ne: Test = (a, b) => !equals(a, b);
const gt: Test = (a, b) => compare(a, b, ">") > 0;
const ge: Test = (a, b) => compare(a, b, ">=") >= 0;
const lt: Test = (a, b) => compare(a, b, "<") < 0;
const le: Test = (a, b) => compare(a, b, "<=") <= 0;
const dividesBy = (value: PyValue, by: PyValue): PyValue => binary("%", value, by);
/** Upper or lower case as Python's `isupper` and `islower`: at least one cased letter, none of the other case. */
const inCase = (value: PyValue, own: RegExp, other: RegExp): boolean => own.test(str(value)) && !other.test(str(value));

const TESTS: ReadonlyMap<string, readonly [args: number, test: Test]> = new Map<string, readonly [number, Test]>([
  ["defined", [0, (value) => !(value instanceof Undefined)]],
  ["undefined", [0, (value) => value instanceof Undefined]],
  ["none", [0, (value) => value === null]],
  ["boolean", [0, (value) => typeof value === "boolean"]],
  ["true", [0, (value) => value === true]],
  ["false", [0, (value) => value === false]],
  ["integer", [0, (value) => typeof value === "bigint"]],
  ["float", [0, (value) => typeof value === "number"]],
  ["number", [0, isNumber]],
  ["string", [0, isText]],
  ["mapping", [0, (value) => value instanceof PyDict]],
  ["sequence", [0, (value) => isText(value) || Array.isArray(value) || isSequence(value)]],
  ["iterable", [0, isIterable]],
  ["callable", [0, (value) => [PyFunction, Macro, LoopContext, Undefined].some((type) => value instanceof type)]],
  ["lower", [0, (value) => inCase(value, /\p{Lowercase}/u, /[\p{Uppercase}\p{Lt}]/u)]],
  ["upper", [0, (value) => inCase(value, /\p{Uppercase}/u, /[\p{Lowercase}\p{Lt}]/u)]],
  ["escaped", [0, (value) => value instanceof Markup]],
  ["odd", [0, (value) => equals(dividesBy(value, 2n), 1n)]],
  ["even", [0, (value) => equals(dividesBy(value, 2n), 0n)]],
  ["divisibleby", [1, (value, by) => equals(dividesBy(value, by), 0n)]],
  ["sameas", [1, (value, other) => value === other]],
  ["in", [1, (value, container) => contains(container, value)]],
  ["test", [0, (value) => str(value) === "filter" || TESTS.has(str(value))]],
  ...(["eq", "equalto", "=="] as const).map((name) => [name, [1, eq]] as const),
  ...(["ne", "!="] as const).map((name) => [name, [1, ne]] as const),
  ...(["gt", "greaterthan", ">"] as const).map((name) => [name, [1, gt]] as const),
  ...(["ge", ">="] as const).map((name) => [name, [1, ge]] as const),
  ...(["lt", "lessthan", "<"] as const).map((name) => [name, [1, lt]] as const),
  ...(["le", "<="] as const).map((name) => [name, [1, le]] as const),
]);

/** What has a length and takes an index or key. */
function isSequence(value: PyValue): boolean {
  return value instanceof PyObject && [PyTuple, PyDict, PyRange, Undefined].some((type) => value instanceof type);
}

/** Apply a test; `hasFilter` answers the test of that name. */
export function testValue(
  name: string,
  value: PyValue,
  args: readonly PyValue[],
  hasFilter: (name: string) => boolean,
): boolean {
  if (name === "filter") return hasFilter(str(value));
  const entry = TESTS.get(name);
  if (!entry) return fail("TemplateRuntimeError", `no test named '${name}'`);
  const [count, test] = entry;
  if (args.length !== count)
    return fail("TypeError", `test '${name}' takes ${count} argument(s), ${args.length} given`);
  return test(value, ...args);
}
