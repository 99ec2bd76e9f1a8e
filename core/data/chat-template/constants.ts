import type { Expression } from "./ast.js";
import { Markup, PyDict, PyRange, PyTuple, type PyValue } from "./values.js";

const known = new WeakMap<object, boolean>();

/** Whether an expression could be computed before the template runs: nothing in it that is certainly evaluated is a name or a call. */
export function mayBeConstant(node: Expression): boolean {
  let answer = known.get(node);
  if (answer === undefined) {
    answer = examine(node);
    known.set(node, answer);
  }
  return answer;
}

function examine(node: Expression): boolean {
  switch (node.type) {
    case "name":
    case "call":
      return false;
    case "constant":
      return true;
    case "logical":
      return mayBeConstant(node.left);
    case "condition":
      return mayBeConstant(node.test);
    case "filter":
      return node.value !== null && Object.values(node).every(examineMember);
    default:
      return Object.values(node).every(examineMember);
  }
}

function examineMember(member: unknown): boolean {
  if (typeof member !== "object" || member === null) return true;
  if (Array.isArray(member)) return member.every(examineMember);
  return EXPRESSIONS.has((member as Expression).type)
    ? mayBeConstant(member as Expression)
    : Object.values(member).every(examineMember);
}

const EXPRESSIONS: ReadonlySet<string> = new Set<Expression["type"]>([
  "constant",
  "name",
  "list",
  "tuple",
  "dict",
  "attribute",
  "item",
  "call",
  "filter",
  "test",
  "binary",
  "unary",
  "logical",
  "compare",
  "concat",
  "condition",
]);

/** Whether Jinja could write a value into the code that it generates. */
export function isWritable(value: PyValue): boolean {
  if (value === null || typeof value !== "object") return true;
  if (Array.isArray(value)) return value.every(isWritable);
  if (value instanceof PyTuple) return value.constructor === PyTuple && value.items.every(isWritable);
  if (value instanceof PyDict) return [...value.entries()].every(([key, item]) => isWritable(key) && isWritable(item));
  return value instanceof Markup || value instanceof PyRange;
}

/** Whether a writable value has an infinity or NaN in it, which Jinja writes as a name that its code does not know. */
export function hasUnwritableFloat(value: PyValue): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (Array.isArray(value)) return value.some(hasUnwritableFloat);
  if (value instanceof PyTuple) return value.items.some(hasUnwritableFloat);
  return (
    value instanceof PyDict &&
    [...value.entries()].some(([key, item]) => hasUnwritableFloat(key) || hasUnwritableFloat(item))
  );
}
