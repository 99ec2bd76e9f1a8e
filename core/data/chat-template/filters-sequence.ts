import { getItem } from "./access.js";
import { bindArguments } from "./arguments.js";
import { fail } from "./errors.js";
import type { ByName, FilterTable } from "./filter.js";
import { binary, compare, equals, iterate, sizeOf, truthy } from "./operators.js";
import { lower } from "./string-methods.js";
import { codePoints, integerArgument, joinTexts, str } from "./text.js";
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
  if (value instanceof PyIterator) return fail("TypeError", "'generator' object is not reversible");
  return orElse([...iterate(value)].at(-1), new Undefined("No last item, sequence was empty."));
}

function reverse(value: PyValue): PyValue {
  if (typeof value === "string" || value instanceof Markup) return codePoints(str(value)).reverse().join("");
  return new PyIterator([...iterate(value)].reverse());
}

function join(value: PyValue, glue: PyValue | undefined, attribute: PyValue | undefined): string {
  const get = attribute === undefined || attribute === null ? null : getter(attribute);
  const texts = Array.from(iterate(value), (item) => str(get ? get(item) : item));
  return joinTexts(texts, glue === undefined ? "" : str(glue));
}

function* items(value: PyValue): Iterable<PyValue> {
  if (value instanceof Undefined) return;
  if (!(value instanceof PyDict)) return fail("TypeError", "Can only get item pairs from a mapping.");
  yield* new DictView(value, "items");
}

function sum(value: PyValue, attribute: PyValue | undefined, start: PyValue | undefined): PyValue {
  const get = attribute === undefined || attribute === null ? null : getter(attribute);
  if (typeof start === "string") return fail("TypeError", "sum() can't sum strings");
  let total: PyValue = orElse(start, 0n);
  for (const item of iterate(value)) total = binary("+", total, get ? get(item) : item);
  return total;
}

/** Reads `a.b.0` from an item. */
function getter(attribute: PyValue, fallback?: PyValue): (item: PyValue) => PyValue {
  const parts: PyValue[] =
    typeof attribute === "string"
      ? attribute.split(".").map((part) => (/^\d+$/.test(part) ? BigInt(part) : part))
      : [attribute];
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = getItem(value, part);
      if (value instanceof Undefined && fallback !== undefined && fallback !== null) value = fallback;
    }
    return value;
  };
}

type Options = readonly (PyValue | undefined)[];

/** What an item is ordered by: an attribute or itself, without regard to case unless asked for. */
function keyFunction(attribute: PyValue | undefined, caseSensitive: PyValue | undefined, fallback?: PyValue) {
  const get = attribute === undefined || attribute === null ? (item: PyValue) => item : getter(attribute, fallback);
  const sensitive = caseSensitive !== undefined && truthy(caseSensitive);
  return (item: PyValue): PyValue => folded(get(item), sensitive);
}

function folded(key: PyValue, sensitive: boolean): PyValue {
  return !sensitive && (typeof key === "string" || key instanceof Markup) ? lower(str(key)) : key;
}

function extreme(value: PyValue, [caseSensitive, attribute]: Options, sign: 1 | -1): PyValue {
  const all = [...iterate(value)];
  if (all.length === 0) return new Undefined("No aggregated item, sequence was empty.");
  const key = keyFunction(attribute, caseSensitive);
  return all.reduce((best, item) => (compare(key(item), key(best), sign > 0 ? ">" : "<") * sign > 0 ? item : best));
}

function sort(value: PyValue, [reversed, caseSensitive, attribute]: Options): PyValue[] {
  const attributes = typeof attribute === "string" ? attribute.split(",") : [attribute];
  const keys = attributes.map((name) => keyFunction(name, caseSensitive));
  const key = (item: PyValue): PyValue => (keys.length === 1 ? keys[0](item) : keys.map((read) => read(item)));
  return sortBy([...iterate(value)], key, reversed !== undefined && truthy(reversed));
}

/** Stable in both directions, as Python's sort is. */
function sortBy(all: readonly PyValue[], key: (item: PyValue) => PyValue, reversed: boolean): PyValue[] {
  const sign = reversed ? -1 : 1;
  return all
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => sign * compare(a.key, b.key, "<"))
    .map(({ item }) => item);
}

function dictSort(value: PyValue, [caseSensitive, by, reversed]: Options): PyValue[] {
  if (value instanceof Undefined) value.fail();
  if (!(value instanceof PyDict)) return fail("TypeError", "dictsort needs a mapping");
  const position = by === undefined || by === "key" ? 0 : by === "value" ? 1 : -1;
  if (position < 0) return fail("FilterArgumentError", 'You can only sort by either "key" or "value"');
  const sensitive = caseSensitive !== undefined && truthy(caseSensitive);
  const key = (pair: PyValue) => folded((pair as PyTuple).items[position], sensitive);
  return sortBy([...new DictView(value, "items")], key, reversed !== undefined && truthy(reversed));
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

function* batch(value: PyValue, [size, fill]: Options): Iterable<PyValue> {
  const count = integerArgument(size, "linecount");
  let row: PyValue[] = [];
  for (const item of iterate(value)) {
    if (row.length === count) {
      yield row;
      row = [];
    }
    row.push(item);
  }
  if (row.length === 0) return;
  if (fill !== undefined && fill !== null) {
    spend(count - row.length);
    while (row.length < count) row.push(fill);
  }
  yield row;
}

/** Work of making a list. */
const LIST = 4;

function* slices(value: PyValue, [count, fill]: Options): Iterable<PyValue> {
  const all = [...iterate(value)];
  const columns = integerArgument(count, "slices");
  if (columns === 0) return fail("ZeroDivisionError", "integer division or modulo by zero");
  const size = Math.floor(all.length / columns);
  const longer = all.length % columns;
  for (let i = 0, at = 0; i < columns; i++) {
    spend(LIST);
    const end = at + size + (i < longer ? 1 : 0);
    const column = all.slice(at, end);
    at = end;
    if (fill !== undefined && fill !== null && i >= longer) column.push(fill);
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
