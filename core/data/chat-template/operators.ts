import { arithmetic, type BinaryOperator, isNumber, numeric, sameNumber } from "./arithmetic.js";
import { fail } from "./errors.js";
import { percentFormat } from "./percent-format.js";
import { codePoints, length, str } from "./text.js";
import {
  DictView,
  Markup,
  PyDict,
  PyFunction,
  PyIterator,
  PyObject,
  PyRange,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";

/** Texts and lists beyond these are refused: a template is not trusted. */
const MAX_TEXT = 50_000_000;
const MAX_ITEMS = 1_000_000;

export function truthy(value: PyValue): boolean {
  if (value === null || typeof value !== "object") return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof PyTuple) return value.items.length > 0;
  if (value instanceof PyDict) return value.size > 0;
  if (value instanceof DictView) return value.dict.size > 0;
  if (value instanceof PyRange) return value.length > 0;
  if (value instanceof Markup) return value.text !== "";
  return !(value instanceof Undefined);
}

/** Values of anything that Python can loop over. */
export function iterate(value: PyValue): Iterable<PyValue> {
  if (typeof value === "string") return codePoints(value);
  if (Array.isArray(value)) return value;
  if (value instanceof PyTuple) return value.items;
  if (value instanceof PyDict) return value.keys();
  if (value instanceof Markup) return codePoints(value.text);
  if (value instanceof Undefined) return [];
  if (value instanceof PyRange || value instanceof DictView || value instanceof PyIterator) return value;
  return fail("TypeError", `'${typeName(value)}' object is not iterable`);
}

export function isIterable(value: PyValue): boolean {
  if (typeof value === "string" || Array.isArray(value)) return true;
  return value instanceof PyObject && !(value instanceof PyFunction) && ITERABLE.some((type) => value instanceof type);
}

const ITERABLE = [PyTuple, PyDict, Markup, Undefined, PyRange, DictView, PyIterator];

/** Python's `len`. */
export function sizeOf(value: PyValue): number {
  if (typeof value === "string") return length(value);
  if (value instanceof Markup) return length(value.text);
  if (Array.isArray(value)) return value.length;
  if (value instanceof PyTuple) return value.items.length;
  if (value instanceof PyDict) return value.size;
  if (value instanceof DictView) return value.dict.size;
  if (value instanceof PyRange) return value.length;
  if (value instanceof Undefined) return 0;
  return fail("TypeError", `object of type '${typeName(value)}' has no len()`);
}

export function equals(a: PyValue, b: PyValue): boolean {
  if (a instanceof Markup) return equals(a.text, b);
  if (b instanceof Markup) return equals(a, b.text);
  if (isNumber(a) && isNumber(b)) return sameNumber(numeric(a), numeric(b));
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  if (a instanceof PyTuple) return b instanceof PyTuple && sameItems(a.items, b.items);
  if (a instanceof PyDict) return b instanceof PyDict && sameEntries(a, b);
  if (a instanceof Undefined) return b instanceof Undefined;
  if (a instanceof PyRange) return b instanceof PyRange && sameItems([...a], [...b]);
  return a === b;
}

function sameItems(a: readonly PyValue[], b: readonly PyValue[]): boolean {
  return a.length === b.length && a.every((item, i) => equals(item, b[i]));
}

function sameEntries(a: PyDict, b: PyDict): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a.entries()) {
    const other = b.get(key);
    if (other === undefined || !equals(value, other)) return false;
  }
  return true;
}

/** Negative, zero or positive; `operator` is only for the message. */
export function compare(a: PyValue, b: PyValue, operator: string): number {
  const left = a instanceof Markup ? a.text : a;
  const right = b instanceof Markup ? b.text : b;
  if (isNumber(left) && isNumber(right)) {
    const [x, y] = [numeric(left), numeric(right)];
    return x < y ? -1 : x > y ? 1 : sameNumber(x, y) ? 0 : Number.NaN;
  }
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return compareItems(left, right, operator);
  if (left instanceof PyTuple && right instanceof PyTuple) return compareItems(left.items, right.items, operator);
  for (const value of [left, right]) if (value instanceof Undefined) value.fail();
  return fail("TypeError", `'${operator}' not supported between '${typeName(left)}' and '${typeName(right)}'`);
}

/** By code points; UTF-16 order differs beyond U+FFFF. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
  const surrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
  if (surrogate(x) !== surrogate(y)) return surrogate(x) ? 1 : -1;
  return x - y;
}

function compareItems(a: readonly PyValue[], b: readonly PyValue[], operator: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (!equals(a[i], b[i])) return compare(a[i], b[i], operator);
  }
  return a.length - b.length;
}

/** `item in container`. */
export function contains(container: PyValue, item: PyValue): boolean {
  if (typeof container === "string" || container instanceof Markup) {
    if (typeof item !== "string" && !(item instanceof Markup)) {
      if (item instanceof Undefined) item.fail();
      return fail("TypeError", `'in <string>' requires string as left operand, not ${typeName(item)}`);
    }
    return str(container).includes(str(item));
  }
  if (container instanceof PyDict) return container.get(item) !== undefined;
  if (container instanceof DictView && container.kind === "keys") return container.dict.get(item) !== undefined;
  if (!isIterable(container)) {
    return fail("TypeError", `argument of type '${typeName(container)}' is not iterable`);
  }
  for (const candidate of iterate(container)) if (equals(candidate, item)) return true;
  return false;
}

export function binary(operator: BinaryOperator, a: PyValue, b: PyValue): PyValue {
  if (isNumber(a) && isNumber(b)) return arithmetic(operator, numeric(a), numeric(b));
  for (const value of [a, b]) if (value instanceof Undefined) value.fail();
  if (operator === "+") {
    if (a instanceof Markup || b instanceof Markup) return addMarkup(a, b);
    if (typeof a === "string" && typeof b === "string") {
      if (a.length + b.length > MAX_TEXT) return fail("OverflowError", "the text is too long");
      return a + b;
    }
    if (Array.isArray(a) && Array.isArray(b)) return joined(a, b);
    if (a instanceof PyTuple && b instanceof PyTuple) return new PyTuple(joined(a.items, b.items));
  }
  if (operator === "*") {
    const repeated = isRepeatable(a) && isCount(b) ? repeat(a, b) : isRepeatable(b) && isCount(a) ? repeat(b, a) : null;
    if (repeated !== null) return repeated;
  }
  if (operator === "%" && (typeof a === "string" || a instanceof Markup)) return percentFormat(str(a), b);
  return fail("TypeError", `unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}

function joined(a: readonly PyValue[], b: readonly PyValue[]): PyValue[] {
  if (a.length + b.length > MAX_ITEMS) return fail("OverflowError", "the list is too long");
  return [...a, ...b];
}

export function negate(value: PyValue): PyValue {
  if (value instanceof Undefined) value.fail();
  if (!isNumber(value)) return fail("TypeError", `bad operand type for unary -: '${typeName(value)}'`);
  return -numeric(value);
}

export function positive(value: PyValue): PyValue {
  if (value instanceof Undefined) value.fail();
  if (!isNumber(value)) return fail("TypeError", `bad operand type for unary +: '${typeName(value)}'`);
  return numeric(value);
}

function addMarkup(a: PyValue, b: PyValue): PyValue {
  const part = (value: PyValue): string => {
    if (value instanceof Markup) return value.text;
    if (typeof value === "string") return escapeHtml(value);
    return fail("TypeError", `unsupported operand type(s) for +: '${typeName(a)}' and '${typeName(b)}'`);
  };
  return new Markup(part(a) + part(b));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => HTML_ESCAPES[character]);
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};

type Repeatable = string | PyValue[] | PyTuple | Markup;

function isRepeatable(value: PyValue): value is Repeatable {
  return typeof value === "string" || Array.isArray(value) || value instanceof PyTuple || value instanceof Markup;
}

function isCount(value: PyValue): value is bigint | boolean {
  return typeof value === "bigint" || typeof value === "boolean";
}

function repeat(value: Repeatable, count: bigint | boolean): PyValue {
  const times = Math.max(0, Number(count));
  const size =
    typeof value === "string" ? value.length : value instanceof Markup ? value.text.length : itemsOf(value).length;
  const limit = typeof value === "string" || value instanceof Markup ? MAX_TEXT : MAX_ITEMS;
  if (size * times > limit) return fail("OverflowError", "the repeated value is too large");
  if (typeof value === "string") return value.repeat(times);
  if (value instanceof Markup) return new Markup(value.text.repeat(times));
  const items = Array.from({ length: times }, () => itemsOf(value)).flat(1) as PyValue[];
  return value instanceof PyTuple ? new PyTuple(items) : items;
}

function itemsOf(value: PyValue[] | PyTuple): readonly PyValue[] {
  return Array.isArray(value) ? value : value.items;
}
