import { bracketFormat, type FieldSource } from "./bracket-format.js";
import { fail } from "./errors.js";
import { formatValue } from "./format-spec.js";
import { methodOf } from "./methods.js";
import { escapeHtml } from "./operators.js";
import { slice, sliceBounds } from "./slicing.js";
import { codePoints, indexArgument, repr, str } from "./text.js";
import {
  DictView,
  type KeywordArguments,
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

/** What every object of Python has. The sandbox hides it, even that of undefined values. */
const INTERNAL: ReadonlySet<string> = new Set(
  (
    "class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex repr setattr " +
    "sizeof str subclasshook"
  )
    .split(" ")
    .map((name) => `__${name}__`),
);

/** `object.name`: an attribute, else an item. */
export function getAttribute(object: PyValue, name: string): PyValue {
  if (INTERNAL.has(name)) return unsafe(object, name);
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

/** The attribute only, never an item of that name. */
export function getOnlyAttribute(object: PyValue, name: string): PyValue {
  if (object instanceof Undefined) return object.fail();
  return orElse(attributeOf(object, name), missing(object, name));
}

/** An attribute that a template may see; undefined when there is none. */
function attributeOf(object: PyValue, name: string): PyValue | undefined {
  if (MUTATING.get(typeName(object))?.has(name)) return unsafe(object, name);
  if (name.startsWith("_")) return undefined;
  if (object instanceof PyObject) {
    const own = object.attribute(name);
    if (own !== undefined) return own;
  }
  if (typeof object === "string" || object instanceof Markup) {
    if (name === "format") return new PyFunction(name, (args, kwargs) => format(object, args, kwargs));
    if (name === "format_map") return new PyFunction(name, (args, kwargs) => formatMap(object, args, kwargs));
  }
  const method = methodOf(object, name);
  if (method) return new PyFunction(name, method);
  return typeof object === "boolean" || typeof object === "bigint" || typeof object === "number"
    ? numberAttribute(typeof object === "boolean" ? BigInt(object) : object, name)
    : undefined;
}

function numberAttribute(value: bigint | number, name: string): PyValue | undefined {
  const isInteger = typeof value === "bigint";
  if (name === "real") return value;
  if (name === "imag") return isInteger ? 0n : 0;
  if (name === "numerator" && isInteger) return value;
  return name === "denominator" && isInteger ? 1n : undefined;
}

function format(template: string | Markup, args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
  return expand(template, { positional: (index) => args[index], named: (name) => kwargs.get(name) });
}

function formatMap(template: string | Markup, args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
  const [mapping] = args;
  if (kwargs.size > 0 || args.length !== 1) return fail("TypeError", "format_map() takes exactly one argument");
  return expand(template, {
    positional: () => undefined,
    named: (name) => (mapping instanceof PyDict ? mapping.get(name) : undefined),
  });
}

/** What safe markup takes in is escaped. */
function expand(template: string | Markup, source: Pick<FieldSource, "positional" | "named">): PyValue {
  const access = { ...source, attribute: getAttribute, item: getItem };
  if (typeof template === "string") return bracketFormat(template, access);
  return new Markup(bracketFormat(template.text, { ...access, format: formatEscaped }));
}

function formatEscaped(value: PyValue, spec: string): string {
  if (!(value instanceof Markup)) return escapeHtml(formatValue(value, spec));
  return spec === "" ? value.text : fail("ValueError", "Unsupported format specification for Markup.");
}

function itemOf(object: PyValue, key: PyValue): PyValue | undefined {
  if (object instanceof PyDict) return isHashable(key) ? object.get(key) : undefined;
  if (typeof key !== "bigint" && typeof key !== "boolean") return undefined;
  const index = Number(key);
  if (Array.isArray(object)) return object.at(index);
  if (object instanceof PyTuple) return object.items.at(index);
  if (typeof object === "string") return codePoints(object).at(index);
  if (object instanceof Markup) {
    const character = codePoints(object.text).at(index);
    return character === undefined ? undefined : new Markup(character);
  }
  if (object instanceof PyRange) {
    const position = index < 0 ? index + object.len() : index;
    return position >= 0 && position < object.len() ? object.at(position) : undefined;
  }
  return undefined;
}

function isHashable(key: PyValue): boolean {
  if (key instanceof PyTuple) return key.items.every(isHashable);
  return !Array.isArray(key) && !(key instanceof PyDict) && !(key instanceof DictView && key.kind !== "values");
}

function unsafe(object: PyValue, name: string): Undefined {
  return new Undefined(`access to attribute '${name}' of '${typeName(object)}' object is unsafe`);
}

function missing(object: PyValue, key: PyValue): Undefined {
  return new Undefined(`'${typeName(object)} object' has no attribute ${repr(key)}`);
}

/** `object[start:stop:step]`; each bound is null when left out. */
export function getSlice(object: PyValue, start: PyValue, stop: PyValue, step: PyValue): PyValue {
  if (object instanceof Undefined) return object.fail();
  const [first, last, stride] = [start, stop, step].map(bound);
  const cut = <T>(items: readonly T[]): T[] => {
    spend(items.length);
    return slice(items, first, last, stride);
  };
  if (typeof object === "string") return cut(codePoints(object)).join("");
  if (object instanceof Markup) return new Markup(cut(codePoints(str(object))).join(""));
  if (Array.isArray(object)) return cut(object);
  if (object instanceof PyTuple) return new PyTuple(cut(object.items));
  if (object instanceof PyRange) {
    const [from, to, by] = sliceBounds(object.len(), first, last, stride);
    return new PyRange(object.at(from), object.at(to), object.step * BigInt(by));
  }
  return fail("TypeError", `'${typeName(object)}' object cannot be sliced`);
}

function bound(value: PyValue): number | null {
  if (value instanceof Undefined) value.fail();
  if (value === null) return null;
  if (typeof value === "bigint" || typeof value === "boolean") return indexArgument(value);
  return fail("TypeError", "slice indices must be integers or None");
}
