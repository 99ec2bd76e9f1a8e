import { arithmetic, type BinaryOperator, isNumber, numeric, sameNumber } from "./arithmetic.js";
import { fail } from "./errors.js";
import { percentFormat } from "./percent-format.js";
import { codePoints, length, repeatText, str } from "./text.js";
import { DictView, Markup, PyDict, PyObject, PyRange, PyTuple, type PyValue, typeName, Undefined } from "./values.js";
import { enter, leave, MAX_ITEMS, spend, spendAppended, spendText } from "./work.js";

export function truthy(value: PyValue): boolean {
  if (value === null || typeof value !== "object") return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  return value.len === undefined || value.len() > 0;
}

/** Work of making a pair. */
const ENTRY = 4;

/** Values of anything that Python can loop over. */
export function iterate(value: PyValue): Iterable<PyValue> {
  if (typeof value === "string") return codePoints(value);
  if (hasSize(value)) spend(value instanceof DictView ? ENTRY * value.len() : sizeOf(value));
  if (Array.isArray(value)) return value;
  if (isIterableObject(value)) return value;
  return fail("TypeError", `'${typeName(value)}' object is not iterable`);
}

export function isIterable(value: PyValue): boolean {
  return typeof value === "string" || Array.isArray(value) || isIterableObject(value);
}

function isIterableObject(value: PyValue): value is PyObject & Iterable<PyValue> {
  return value instanceof PyObject && value[Symbol.iterator] !== undefined;
}

/** Whether `len` works. */
export function hasSize(value: PyValue): boolean {
  if (value instanceof PyObject) return value.len !== undefined;
  return typeof value === "string" || Array.isArray(value);
}

/** Python's `len`. */
export function sizeOf(value: PyValue): number {
  if (typeof value === "string") return length(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof PyObject && value.len) return value.len();
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
  if (a instanceof PyRange) return b instanceof PyRange && sameRange(a, b);
  if (a instanceof DictView && b instanceof DictView && a.kind !== "values" && b.kind !== "values")
    return sameSet(a, b);
  if (typeof a === "string" && typeof b === "string" && a.length === b.length) spend(a.length >> 3);
  return a === b;
}

function sameSet(a: DictView, b: DictView): boolean {
  return a.len() === b.len() && [...iterate(a)].every((item) => contains(b, item));
}

function sameItems(a: readonly PyValue[], b: readonly PyValue[]): boolean {
  if (a.length !== b.length) return false;
  spend(a.length);
  enter(2);
  const same = a.every((item, i) => equals(item, b[i]));
  leave(2);
  return same;
}

function sameEntries(a: PyDict, b: PyDict): boolean {
  if (a.len() !== b.len()) return false;
  spend(ENTRY * a.len());
  enter(2);
  const same = [...a.entries()].every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && equals(value, other);
  });
  leave(2);
  return same;
}

/** Ranges are equal by the numbers that they give. */
function sameRange(a: PyRange, b: PyRange): boolean {
  if (a.len() !== b.len()) return false;
  return a.len() === 0 || (a.start === b.start && (a.len() === 1 || a.step === b.step));
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
  spend(i);
  if (i === a.length || i === b.length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
  const surrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
  if (surrogate(x) !== surrogate(y)) return surrogate(x) ? 1 : -1;
  return x - y;
}

function compareItems(a: readonly PyValue[], b: readonly PyValue[], operator: string): number {
  enter(2);
  let order = a.length - b.length;
  for (let i = 0; i < a.length && i < b.length; i++) {
    spend(1);
    if (equals(a[i], b[i])) continue;
    order = compare(a[i], b[i], operator);
    break;
  }
  leave(2);
  return order;
}

/** `item in container`. */
export function contains(container: PyValue, item: PyValue): boolean {
  if (typeof container === "string" || container instanceof Markup) {
    if (typeof item !== "string" && !(item instanceof Markup)) {
      if (item instanceof Undefined) item.fail();
      return fail("TypeError", `'in <string>' requires string as left operand, not ${typeName(item)}`);
    }
    const [text, part] = [str(container), str(item)];
    spend(text.length + part.length);
    return text.includes(part);
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
  if (operator === "%" && typeof a === "string") return percentFormat(a, b);
  if (operator === "%" && a instanceof Markup) return new Markup(percentFormat(a.text, b, escaped));
  for (const value of [a, b]) if (value instanceof Undefined) value.fail();
  if (operator === "+") {
    if (a instanceof Markup || b instanceof Markup) return addMarkup(a, b);
    if (typeof a === "string" && typeof b === "string") {
      spendAppended(a.length, b.length);
      return a + b;
    }
    if (Array.isArray(a) && Array.isArray(b)) return joined(a, b);
    if (a instanceof PyTuple && b instanceof PyTuple) return new PyTuple(joined(a.items, b.items));
  }
  if (operator === "*") {
    const repeated = isRepeatable(a) && isCount(b) ? repeat(a, b) : isRepeatable(b) && isCount(a) ? repeat(b, a) : null;
    if (repeated !== null) return repeated;
  }
  return fail("TypeError", `unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
}

function joined(a: readonly PyValue[], b: readonly PyValue[]): PyValue[] {
  spendItems(a.length + b.length);
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
  const [left, right] = [part(a), part(b)];
  spendAppended(left.length, right.length);
  return new Markup(left + right);
}

function escaped(value: PyValue): string {
  return value instanceof Markup ? value.text : escapeHtml(str(value));
}

export function escapeHtml(text: string): string {
  spendText(text.length);
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
  if (typeof value === "string") return repeatText(value, Number(count));
  if (value instanceof Markup) return new Markup(repeatText(value.text, Number(count)));
  const once = itemsOf(value);
  const times = once.length === 0 ? 0 : Math.max(0, Number(count));
  spendItems(once.length * times);
  const items = Array.from({ length: once.length * times }, (_, i) => once[i % once.length]);
  return value instanceof PyTuple ? new PyTuple(items) : items;
}

function spendItems(count: number): void {
  if (!(count <= MAX_ITEMS)) fail("OverflowError", `a list of more than ${MAX_ITEMS} items`);
  spend(count);
}

function itemsOf(value: PyValue[] | PyTuple): readonly PyValue[] {
  return Array.isArray(value) ? value : value.items;
}
