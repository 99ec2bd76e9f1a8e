import { getItem } from "./access.js";
import { bindArguments } from "./arguments.js";
import { fail } from "./errors.js";
import type { ByName, FilterTable } from "./filter.js";
import { LoopContext } from "./loop-context.js";
import { binary, compare, equals, iterate, sizeOf, truthy } from "./operators.js";
import { codePoints, integerArgument, joinTexts, str } from "./text.js";
import { asciiDigits, isDigit } from "./unicode.js";
import {
  DictView,
  hashKey,
  type KeywordArguments,
  Markup,
  orElse,
  PyDict,
  PyIterator,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";
import { spend } from "./work.js";

export const SEQUENCE_FILTERS: FilterTable = [
  ["length", { parameters: [], apply: (value) => BigInt(sizeOf(value)) }],
  ["count", { parameters: [], apply: (value) => BigInt(sizeOf(value)) }],
  ["list", { parameters: [], apply: (value) => [...iterate(value)] }],
  ["first", { parameters: [], apply: first }],
  ["last", { parameters: [], apply: last }],
  ["reverse", { parameters: [], apply: reverse }],
  ["join", { parameters: ["d?", "attribute?"], apply: (value, [glue, attribute]) => join(value, glue, attribute) }],
  ["items", { parameters: [], apply: (value) => new PyIterator(items(value)) }],
  ["sum", { parameters: ["attribute?", "start?"], apply: (value, [attribute, start]) => sum(value, attribute, start) }],
  ["min", { parameters: ["case_sensitive?", "attribute?"], apply: (value, args) => extreme(value, args, -1) }],
  ["max", { parameters: ["case_sensitive?", "attribute?"], apply: (value, args) => extreme(value, args, 1) }],
  ["sort", { parameters: ["reverse?", "case_sensitive?", "attribute?"], apply: (value, args) => sort(value, args) }],
  ["dictsort", { parameters: ["case_sensitive?", "by?", "reverse?"], apply: dictSort }],
  [
    "unique",
    { parameters: ["case_sensitive?", "attribute?"], apply: (value, args) => new PyIterator(unique(value, args)) },
  ],
  ["groupby", { parameters: ["attribute", "default?", "case_sensitive?"], apply: groupBy }],
  ["batch", { parameters: ["linecount", "fill_with?"], apply: (value, args) => new PyIterator(batch(value, args)) }],
  ["slice", { parameters: ["slices", "fill_with?"], apply: (value, args) => new PyIterator(slices(value, args)) }],
  ["map", { applyFree: (value, args, kwargs, by) => new PyIterator(map(value, args, kwargs, by)) }],
  [
    "select",
    {
      applyFree: (value, args, kwargs, by) =>
        new PyIterator(select(value, args, kwargs, by, { keep: true, byAttribute: false })),
    },
  ],
  [
    "reject",
    {
      applyFree: (value, args, kwargs, by) =>
        new PyIterator(select(value, args, kwargs, by, { keep: false, byAttribute: false })),
    },
  ],
  [
    "selectattr",
    {
      applyFree: (value, args, kwargs, by) =>
        new PyIterator(select(value, args, kwargs, by, { keep: true, byAttribute: true })),
    },
  ],
  [
    "rejectattr",
    {
      applyFree: (value, args, kwargs, by) =>
        new PyIterator(select(value, args, kwargs, by, { keep: false, byAttribute: true })),
    },
  ],
];

function first(value: PyValue): PyValue {
  for (const item of iterate(value)) return item;
  return new Undefined("No first item, sequence was empty.");
}

function last(value: PyValue): PyValue {
  if (!isReversible(value)) return fail("TypeError", `'${typeName(value)}' object is not reversible`);
  return orElse([...iterate(value)].at(-1), new Undefined("No last item, sequence was empty."));
}

/** What cannot be gone through backwards becomes a list first, and stays one. */
function reverse(value: PyValue): PyValue {
  if (typeof value === "string") return codePoints(value).reverse().join("");
  if (value instanceof Markup) return new Markup(codePoints(value.text).reverse().join(""));
  const reversed = [...iterate(value)].reverse();
  return isReversible(value) ? new PyIterator(reversed) : reversed;
}

function isReversible(value: PyValue): boolean {
  return !(value instanceof PyIterator || value instanceof LoopContext);
}

function join(value: PyValue, glue: PyValue = "", attribute: PyValue = null): string {
  const get = getter(attribute);
  const texts = Array.from(iterate(value), (item) => str(get(item)));
  return joinTexts(texts, str(glue));
}

function* items(value: PyValue): Iterable<PyValue> {
  if (value instanceof Undefined) return;
  if (!(value instanceof PyDict)) return fail("TypeError", "Can only get item pairs from a mapping.");
  yield* new DictView(value, "items");
}

function sum(value: PyValue, attribute: PyValue = null, start: PyValue = 0n): PyValue {
  const get = getter(attribute);
  if (typeof start === "string" || start instanceof Markup) return fail("TypeError", "sum() can't sum strings");
  let total: PyValue = start;
  for (const item of iterate(value)) total = binary("+", total, get(item));
  return total;
}

/** Reads `a.b.0` from an item; the item itself without an attribute. */
function getter(attribute: PyValue, fallback: PyValue = null): (item: PyValue) => PyValue {
  const parts = attributeParts(attribute);
  return (item) =>
    parts.reduce((value, part) => {
      const found = getItem(value, part);
      return found instanceof Undefined && fallback !== null ? fallback : found;
    }, item);
}

function attributeParts(attribute: PyValue): readonly PyValue[] {
  if (attribute === null) return [];
  if (typeof attribute !== "string" && !(attribute instanceof Markup)) return [attribute];
  return str(attribute)
    .split(".")
    .map((part) => (part !== "" && codePoints(part).every(isDigit) ? BigInt(asciiDigits(part)) : part));
}

type Options = readonly (PyValue | undefined)[];

/** What an item is ordered by: an attribute or itself, without regard to case unless asked for. */
function keyFunction(attribute: PyValue = null, caseSensitive: PyValue = false, fallback: PyValue = null) {
  const get = getter(attribute, fallback);
  const sensitive = truthy(caseSensitive);
  return (item: PyValue): PyValue => folded(get(item), sensitive);
}

function folded(key: PyValue, sensitive: boolean): PyValue {
  return !sensitive && (typeof key === "string" || key instanceof Markup) ? str(key).toLowerCase() : key;
}

function extreme(value: PyValue, [caseSensitive, attribute]: Options, sign: 1 | -1): PyValue {
  const key = keyFunction(attribute, caseSensitive);
  let best: { readonly item: PyValue; readonly key: PyValue } | undefined;
  for (const item of iterate(value)) {
    const candidate = { item, key: key(item) };
    if (!best || compare(candidate.key, best.key, sign > 0 ? ">" : "<") * sign > 0) best = candidate;
  }
  return best ? best.item : new Undefined("No aggregated item, sequence was empty.");
}

/** Keys are lists, even of one part: equal parts need no order then, so that two Nones can be sorted. */
function sort(value: PyValue, [reversed = false, caseSensitive, attribute = null]: Options): PyValue[] {
  const isText = typeof attribute === "string" || attribute instanceof Markup;
  const keys = (isText ? str(attribute).split(",") : [attribute]).map((name) => keyFunction(name, caseSensitive));
  return sortBy([...iterate(value)], (item) => keys.map((key) => key(item)), reversed);
}

/** Stable in both directions, as Python's sort is. */
function sortBy(all: readonly PyValue[], key: (item: PyValue) => PyValue, reverse: PyValue): PyValue[] {
  const reversed = integerArgument(reverse, "reverse") !== 0;
  const inOrder = (items: readonly PyValue[]) => (reversed ? [...items].reverse() : [...items]);
  const sorted = inOrder(all)
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => compare(a.key, b.key, "<"));
  return inOrder(sorted.map(({ item }) => item));
}

function dictSort(value: PyValue, [caseSensitive = false, by = "key", reversed = false]: Options): PyValue[] {
  const position = equals(by, "key") ? 0 : equals(by, "value") ? 1 : -1;
  if (position < 0) return fail("FilterArgumentError", 'You can only sort by either "key" or "value"');
  if (value instanceof Undefined) value.fail();
  if (!(value instanceof PyDict)) return fail("AttributeError", "dictsort needs a mapping");
  const key = (pair: PyValue) => folded((pair as PyTuple).items[position], truthy(caseSensitive));
  return sortBy([...new DictView(value, "items")], key, reversed);
}

function* unique(value: PyValue, [caseSensitive, attribute]: Options): Iterable<PyValue> {
  const key = keyFunction(attribute, caseSensitive);
  const seen = new Set<unknown>();
  for (const item of iterate(value)) {
    const hash = hashKey(key(item));
    if (seen.has(hash)) continue;
    seen.add(hash);
    yield item;
  }
}

/** A pair that can also be read as `.grouper` and `.list`. */
class Group extends PyTuple {
  override attribute(name: string): PyValue | undefined {
    return name === "grouper" ? this.items[0] : name === "list" ? this.items[1] : undefined;
  }
}

function groupBy(value: PyValue, [attribute, fallback, caseSensitive]: Options): PyValue[] {
  const key = keyFunction(attribute, caseSensitive, fallback);
  const original = keyFunction(attribute, true, fallback);
  const groups: { readonly key: PyValue; readonly list: PyValue[] }[] = [];
  for (const item of sortBy([...iterate(value)], key, false)) {
    const current = groups.at(-1);
    if (current && equals(current.key, key(item))) current.list.push(item);
    else groups.push({ key: key(item), list: [item] });
  }
  return groups.map(({ list }) => new Group([original(list[0]), list]));
}

function* batch(value: PyValue, [size = null, fill = null]: Options): Iterable<PyValue> {
  const length = (row: PyValue[]) => BigInt(row.length);
  let row: PyValue[] = [];
  for (const item of iterate(value)) {
    if (equals(length(row), size)) {
      yield row;
      row = [];
    }
    row.push(item);
  }
  if (row.length === 0) return;
  const isShort = fill !== null && compare(length(row), size, "<") < 0;
  yield isShort ? binary("+", row, binary("*", [fill], binary("-", size, length(row)))) : row;
}

/** Work of making a list. */
const LIST = 4;

function* slices(value: PyValue, [count = null, fill = null]: Options): Iterable<PyValue> {
  const all = [...iterate(value)];
  const size = Number(binary("//", BigInt(all.length), count));
  const longer = Number(binary("%", BigInt(all.length), count));
  const columns = integerArgument(count, "slices");
  for (let i = 0, at = 0; i < columns; i++) {
    spend(LIST);
    const end = at + size + (i < longer ? 1 : 0);
    const column = all.slice(at, end);
    at = end;
    if (fill !== null && i >= longer) column.push(fill);
    yield column;
  }
}

function* map(value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments, by: ByName): Iterable<PyValue> {
  if (!truthy(value)) return;
  if (args.length === 0) {
    const [attribute, fallback] = bindArguments("map", ["attribute", "default?"], [], kwargs) as [PyValue, PyValue?];
    const get = getter(attribute, fallback);
    for (const item of iterate(value)) yield get(item);
    return;
  }
  const [name, ...rest] = args;
  for (const item of iterate(value)) yield by.filter(str(name), item, rest, kwargs);
}

function* select(
  value: PyValue,
  args: readonly PyValue[],
  kwargs: KeywordArguments,
  by: ByName,
  { keep, byAttribute }: { readonly keep: boolean; readonly byAttribute: boolean },
): Iterable<PyValue> {
  if (!truthy(value)) return;
  if (byAttribute && args.length === 0) return fail("FilterArgumentError", "Missing parameter for attribute name");
  const get = byAttribute ? getter(args[0]) : (item: PyValue) => item;
  const [test, ...rest] = byAttribute ? args.slice(1) : args;
  for (const item of iterate(value)) {
    const candidate = get(item);
    const passes = test === undefined ? truthy(candidate) : by.test(str(test), candidate, rest, kwargs);
    if (passes === keep) yield item;
  }
}
