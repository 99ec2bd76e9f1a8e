import { bracketFormat } from "./bracket-format.js";
import { fail } from "./errors.js";
import { methodOf } from "./methods.js";
import { slice, sliceBounds } from "./slicing.js";
import { codePoints, repr } from "./text.js";
import {
  Markup,
  orElse,
  PyDict,
  PyFunction,
  PyObject,
  PyRange,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";
import { spend } from "./work.js";

/** Methods that change their object. The immutable sandbox hides them, and they hide items of the same name. */
const MUTATING: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["dict", new Set(["clear", "pop", "popitem", "setdefault", "update"])],
  ["list", new Set(["append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"])],
]);

/** `object.name`: an attribute, else an item. */
export function getAttribute(object: PyValue, name: string): PyValue {
  if (object instanceof Undefined) return object.fail();
  const found = attributeOf(object, name);
  if (found !== undefined) return found;
  return orElse(itemOf(object, name), missing(object, name));
}

/** `object[key]`: an item, else an attribute. */
export function getItem(object: PyValue, key: PyValue): PyValue {
  if (object instanceof Undefined) return object.fail();
  const found = itemOf(object, key);
  if (found !== undefined) return found;
  const name = typeof key === "string" ? key : key instanceof Markup ? key.text : null;
  return orElse(name === null ? undefined : attributeOf(object, name), missing(object, key));
}

/** An attribute that a template may see; undefined when there is none. */
export function attributeOf(object: PyValue, name: string): PyValue | undefined {
  if (MUTATING.get(typeName(object))?.has(name))
    return new Undefined(`access to '${name}' of a ${typeName(object)} is unsafe`);
  if (name.startsWith("_")) return undefined;
  if (object instanceof PyObject) {
    const own = object.attribute(name);
    if (own !== undefined) return own;
  }
  if (name === "format" && (typeof object === "string" || object instanceof Markup)) {
    const template = typeof object === "string" ? object : object.text;
    return new PyFunction(name, (args, kwargs) => bracketFormat(template, args, kwargs, { getAttribute, getItem }));
  }
  const method = methodOf(object, name);
  return method && new PyFunction(name, method);
}

function itemOf(object: PyValue, key: PyValue): PyValue | undefined {
  if (object instanceof PyDict) return isHashable(key) ? object.get(key) : undefined;
  if (typeof key !== "bigint" && typeof key !== "boolean") return undefined;
  const index = Number(key);
  if (Array.isArray(object)) return object.at(index);
  if (object instanceof PyTuple) return object.items.at(index);
  if (typeof object === "string") return codePoints(object).at(index);
  if (object instanceof Markup) return codePoints(object.text).at(index);
  if (object instanceof PyRange) {
    const position = index < 0 ? index + object.length : index;
    return position >= 0 && position < object.length ? object.at(position) : undefined;
  }
  return undefined;
}

function isHashable(key: PyValue): boolean {
  if (key instanceof PyTuple) return key.items.every(isHashable);
  return !Array.isArray(key) && !(key instanceof PyDict);
}

function missing(object: PyValue, key: PyValue): Undefined {
  const what = object instanceof PyDict ? "dict" : typeName(object);
  return new Undefined(`'${what} object' has no attribute ${repr(key)}`);
}

/** `object[start:stop:step]`; each bound is null when left out. */
export function getSlice(object: PyValue, start: PyValue, stop: PyValue, step: PyValue): PyValue {
  if (object instanceof Undefined) return object.fail();
  const bounds = [start, stop, step].map(bound);
  const [first, last, stride] = bounds;
  const cut = <T>(items: readonly T[]): T[] => {
    spend(items.length);
    return slice(items, first, last, stride);
  };
  if (typeof object === "string") return cut(codePoints(object)).join("");
  if (object instanceof Markup) return new Markup(cut(codePoints(object.text)).join(""));
  if (Array.isArray(object)) return cut(object);
  if (object instanceof PyTuple) return new PyTuple(cut(object.items));
  if (object instanceof PyRange) {
    const [from, to, by] = sliceBounds(object.length, first, last, stride);
    return new PyRange(object.at(from), object.at(to), object.step * BigInt(by));
  }
  return fail("TypeError", `'${typeName(object)}' object cannot be sliced`);
}

const MAX_INDEX = BigInt(Number.MAX_SAFE_INTEGER);

function bound(value: PyValue): number | null {
  if (value instanceof Undefined) value.fail();
  if (value === null) return null;
  // Beyond any length it makes no difference how far.
  if (typeof value === "bigint") return Number(value > MAX_INDEX ? MAX_INDEX : value < -MAX_INDEX ? -MAX_INDEX : value);
  if (typeof value === "boolean") return Number(value);
  return fail("TypeError", "slice indices must be integers or None");
}
