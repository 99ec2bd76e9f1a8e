import { fail } from "./errors.js";
import { enter, leave, spend, spendText } from "./work.js";

/**
 * Python's values as templates see them. Integers are BigInt, floats are numbers, so `1` and `1.0` stay apart; lists are
 * arrays; what has no counterpart in JavaScript is a class below.
 */
export type PyValue = null | boolean | bigint | number | string | PyValue[] | PyObject;

/** Everything that is not a JavaScript primitive or a list. */
export abstract class PyObject {
  /** Python's type name, for messages. */
  abstract readonly typeName: string;

  /** Python's `len`; absent where there is none. An object of length 0 is false. */
  len?(): number;

  /** What a loop goes over; absent where Python's object cannot be looped over. */
  [Symbol.iterator]?(): Iterator<PyValue>;

  /** What `x(...)` does; absent where Python's object cannot be called. */
  call?(args: readonly PyValue[], kwargs: KeywordArguments): PyValue;

  /** Value of an attribute (`x.name`), undefined when there is none. */
  attribute(_name: string): PyValue | undefined {
    return undefined;
  }

  /** Python's `repr`. */
  repr(): string {
    return `<${this.typeName} object>`;
  }
}

export class PyTuple extends PyObject {
  readonly typeName: string = "tuple";
  constructor(readonly items: readonly PyValue[]) {
    super();
  }

  override len(): number {
    return this.items.length;
  }

  override [Symbol.iterator](): Iterator<PyValue> {
    return this.items[Symbol.iterator]();
  }
}

/** Text marked as safe: `escape` leaves it alone, and text added to it is escaped. */
export class Markup extends PyObject {
  readonly typeName = "Markup";
  constructor(readonly text: string) {
    super();
  }

  override len(): number {
    return Array.from(this.text).length;
  }

  override [Symbol.iterator](): Iterator<PyValue> {
    return this.text[Symbol.iterator]();
  }
}

/** A name, attribute or item that does not exist: empty when printed or looped over, an error when used otherwise. */
export class Undefined extends PyObject {
  readonly typeName = "Undefined";
  constructor(readonly message: string) {
    super();
  }

  fail(): never {
    return fail("UndefinedError", this.message);
  }

  override len(): number {
    return 0;
  }

  override [Symbol.iterator](): Iterator<PyValue> {
    return [][Symbol.iterator]();
  }

  override repr(): string {
    return "Undefined";
  }
}

export class PyRange extends PyObject {
  readonly typeName = "range";
  private readonly length: number;
  constructor(
    readonly start: bigint,
    readonly stop: bigint,
    readonly step: bigint,
  ) {
    super();
    if (step === 0n) fail("ValueError", "range() arg 3 must not be zero");
    const span = step > 0n ? stop - start : start - stop;
    const stride = step > 0n ? step : -step;
    const length = span <= 0n ? 0n : (span + stride - 1n) / stride;
    // The limit of Jinja's sandbox.
    if (length > 100_000n) fail("OverflowError", "range too big; the limit is 100000");
    this.length = Number(length);
  }

  at(index: number): bigint {
    return this.start + BigInt(index) * this.step;
  }

  override len(): number {
    return this.length;
  }

  override *[Symbol.iterator](): IterableIterator<PyValue> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  override attribute(name: string): PyValue | undefined {
    return name === "start" || name === "stop" || name === "step" ? this[name] : undefined;
  }

  override repr(): string {
    const bounds = `${this.start}, ${this.stop}`;
    return this.step === 1n ? `range(${bounds})` : `range(${bounds}, ${this.step})`;
  }
}

/** A generator: can be looped over once. */
export class PyIterator extends PyObject {
  readonly typeName = "generator";
  private readonly source: Iterator<PyValue>;
  constructor(source: Iterable<PyValue>) {
    super();
    this.source = source[Symbol.iterator]();
  }

  override *[Symbol.iterator](): IterableIterator<PyValue> {
    for (let next = this.source.next(); !next.done; next = this.source.next()) {
      spend(4);
      yield next.value;
    }
  }
}

export type KeywordArguments = ReadonlyMap<string, PyValue>;
export type PyFunctionBody = (args: readonly PyValue[], kwargs: KeywordArguments) => PyValue;

export class PyFunction extends PyObject {
  readonly typeName = "function";
  constructor(
    readonly name: string,
    private readonly body: PyFunctionBody,
  ) {
    super();
  }

  override call(args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
    return this.body(args, kwargs);
  }

  override repr(): string {
    return `<function ${this.name}>`;
  }
}

/** Insertion-ordered; keys are equal as in Python: `1`, `1.0` and `True` are one key. */
export class PyDict extends PyObject {
  readonly typeName = "dict";
  private readonly slots = new Map<unknown, { readonly key: PyValue; value: PyValue }>();

  static of(entries: Iterable<readonly [PyValue, PyValue]>): PyDict {
    const dict = new PyDict();
    for (const [key, value] of entries) dict.set(key, value);
    return dict;
  }

  override len(): number {
    return this.slots.size;
  }

  get(key: PyValue): PyValue | undefined {
    return this.slots.get(hashKey(key))?.value;
  }

  set(key: PyValue, value: PyValue): void {
    const hash = hashKey(key);
    const slot = this.slots.get(hash);
    if (slot) slot.value = value;
    else this.slots.set(hash, { key, value });
  }

  /** Keys, as Python's loops over dicts give them. */
  override *[Symbol.iterator](): IterableIterator<PyValue> {
    for (const { key } of this.slots.values()) yield key;
  }

  *entries(): IterableIterator<[PyValue, PyValue]> {
    for (const { key, value } of this.slots.values()) yield [key, value];
  }
}

/** `dict.keys()`, `.values()`, `.items()`. */
export class DictView extends PyObject {
  readonly typeName: string;
  constructor(
    readonly dict: PyDict,
    readonly kind: "keys" | "values" | "items",
  ) {
    super();
    this.typeName = `dict_${kind}`;
  }

  override len(): number {
    return this.dict.len();
  }

  override *[Symbol.iterator](): IterableIterator<PyValue> {
    for (const [key, value] of this.dict.entries()) {
      yield this.kind === "keys" ? key : this.kind === "values" ? value : new PyTuple([key, value]);
    }
  }
}

/** `namespace(...)`: the one object whose attributes a template may set. */
export class Namespace extends PyObject {
  readonly typeName = "Namespace";
  constructor(readonly values: PyDict = new PyDict()) {
    super();
  }

  override attribute(name: string): PyValue | undefined {
    return this.values.get(name);
  }
}

/** A JavaScript value that is identical exactly for keys that Python calls equal. */
export function hashKey(key: PyValue): unknown {
  if (typeof key === "string") return key;
  if (key instanceof Markup) return key.text;
  if (typeof key === "boolean") return key ? 1n : 0n;
  if (typeof key === "number") return Number.isInteger(key) ? BigInt(key) : key;
  if (typeof key === "bigint" || key === null) return key;
  if (Array.isArray(key) || key instanceof PyDict || (key instanceof DictView && key.kind !== "values")) {
    return fail("TypeError", `unhashable type: '${typeName(key)}'`);
  }
  if (key instanceof PyTuple) return `\u0000tuple:${tupleText(key)}`;
  if (key instanceof Undefined) return UNDEFINED_HASH;
  return key;
}

const UNDEFINED_HASH = Symbol("Undefined");

function tupleText({ items }: PyTuple): string {
  enter(2);
  const text = items.map(hashText).join(",");
  leave(2);
  spendText(text.length);
  return text;
}

function hashText(key: PyValue): string {
  const hash = hashKey(key);
  if (typeof hash === "object" && hash !== null)
    return fail("TypeError", `a ${typeName(key)} inside a tuple is no key`);
  return typeof hash === "string" ? JSON.stringify(hash) : `${typeof hash}:${String(hash)}`;
}

/** `value` unless it is absent. Not `??`: None is a value. */
export function orElse(value: PyValue | undefined, fallback: PyValue): PyValue {
  return value === undefined ? fallback : value;
}

export function typeName(value: PyValue): string {
  if (value === null) return "NoneType";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "float";
    case "string":
      return "str";
    default:
      return Array.isArray(value) ? "list" : value.typeName;
  }
}
