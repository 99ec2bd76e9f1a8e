import { isNumber } from "./arithmetic.js";
import { binary, compare, contains, equals, isIterable } from "./operators.js";
import { isLowerText, isUpperText } from "./string-case.js";
import { str } from "./text.js";
import { hashKey, Markup, PyDict, PyObject, PyRange, PyTuple, type PyValue, Undefined } from "./values.js";

/** `isFilter` answers the test of that name. */
type Test = (value: PyValue, args: readonly PyValue[], isFilter: (name: string) => boolean) => boolean;

const isText = (value: PyValue): boolean => typeof value === "string" || value instanceof Markup;
const eq: Test = (a, [b]) => equals(a, b);
const ne: Test = (a, [b]) => !equals(a, b);
const gt: Test = (a, [b]) => compare(a, b, ">") > 0;
const ge: Test = (a, [b]) => compare(a, b, ">=") >= 0;
const lt: Test = (a, [b]) => compare(a, b, "<") < 0;
const le: Test = (a, [b]) => compare(a, b, "<=") <= 0;
const remainder = (value: PyValue, by: PyValue): PyValue => binary("%", value, by);

/** Each test with its parameters after the value. Those whose parameter is `/` take it by position only. */
export const TESTS: ReadonlyMap<string, readonly [parameters: readonly string[], test: Test]> = new Map<
  string,
  readonly [readonly string[], Test]
>([
  ["defined", [[], (value) => !(value instanceof Undefined)]],
  ["undefined", [[], (value) => value instanceof Undefined]],
  ["none", [[], (value) => value === null]],
  ["boolean", [[], (value) => typeof value === "boolean"]],
  ["true", [[], (value) => value === true]],
  ["false", [[], (value) => value === false]],
  ["integer", [[], (value) => typeof value === "bigint"]],
  ["float", [[], (value) => typeof value === "number"]],
  ["number", [[], isNumber]],
  ["string", [[], isText]],
  ["mapping", [[], (value) => value instanceof PyDict]],
  ["sequence", [[], (value) => isText(value) || Array.isArray(value) || isSequence(value)]],
  ["iterable", [[], isIterable]],
  ["callable", [[], (value) => value instanceof Undefined || (value instanceof PyObject && value.call !== undefined)]],
  ["lower", [[], (value) => isLowerText(str(value))]],
  ["upper", [[], (value) => isUpperText(str(value))]],
  ["escaped", [[], (value) => value instanceof Markup]],
  ["odd", [[], (value) => equals(remainder(value, 2n), 1n)]],
  ["even", [[], (value) => equals(remainder(value, 2n), 0n)]],
  ["divisibleby", [["num"], (value, [by]) => equals(remainder(value, by), 0n)]],
  ["sameas", [["other"], (value, [other]) => value === other]],
  ["in", [["seq"], (value, [container]) => contains(container, value)]],
  ["filter", [[], (value, _, isFilter) => isKnown(value, isFilter)]],
  ["test", [[], (value) => isKnown(value, (name) => TESTS.has(name))]],
  ...(["eq", "equalto", "=="] as const).map((name) => [name, [["/"], eq]] as const),
  ...(["ne", "!="] as const).map((name) => [name, [["/"], ne]] as const),
  ...(["gt", "greaterthan", ">"] as const).map((name) => [name, [["/"], gt]] as const),
  ...(["ge", ">="] as const).map((name) => [name, [["/"], ge]] as const),
  ...(["lt", "lessthan", "<"] as const).map((name) => [name, [["/"], lt]] as const),
  ...(["le", "<="] as const).map((name) => [name, [["/"], le]] as const),
]);

/** What has a length and takes an index or key. */
function isSequence(value: PyValue): boolean {
  return value instanceof PyObject && [PyTuple, PyDict, PyRange, Undefined].some((type) => value instanceof type);
}

/** Names are looked up as keys of a dict, so lists are refused. */
function isKnown(name: PyValue, has: (name: string) => boolean): boolean {
  hashKey(name);
  return isText(name) && has(str(name));
}
