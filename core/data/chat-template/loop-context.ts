import { fail } from "./errors.js";
import { equals, hasSize, iterate, sizeOf } from "./operators.js";
import { type KeywordArguments, PyFunction, PyObject, PyTuple, type PyValue, Undefined } from "./values.js";

/** The variable `loop` inside a for loop; calling it renders a recursive loop over other items. */
export class LoopContext extends PyObject {
  readonly typeName = "LoopContext";
  private index0 = -1;
  private source: Iterator<PyValue>;
  private size: number | undefined;
  private previous: PyValue | undefined;
  private current: PyValue | undefined;
  /** The next item, once something has looked ahead. */
  private ahead: PyValue | undefined;
  private lastChanged: PyValue | undefined;

  constructor(
    items: PyValue,
    private readonly depth0: number,
    /** Null when the loop is not recursive. */
    private readonly recurse: ((items: PyValue) => string) | null,
  ) {
    super();
    this.source = iterate(items)[Symbol.iterator]();
    if (hasSize(items)) this.size = sizeOf(items);
  }

  /** The items, one a round. */
  *rounds(): Iterable<PyValue> {
    for (let item = this.take(); item !== undefined; item = this.take()) {
      this.ahead = undefined;
      this.index0++;
      this.previous = this.current;
      this.current = item;
      yield item;
    }
  }

  /** What is left, each item with the loop itself. */
  override *[Symbol.iterator](): Iterator<PyValue> {
    for (const item of this.rounds()) yield new PyTuple([item, this]);
  }

  /** Number of items. Reads all that are left when nothing else tells. */
  override len(): number {
    if (this.size === undefined) {
      const rest = [...{ [Symbol.iterator]: () => this.source }];
      this.source = rest[Symbol.iterator]();
      this.size = rest.length + this.index0 + 1 + (this.ahead === undefined ? 0 : 1);
    }
    return this.size;
  }

  override attribute(name: string): PyValue | undefined {
    const { index0, depth0 } = this;
    switch (name) {
      case "index":
        return BigInt(index0 + 1);
      case "index0":
        return BigInt(index0);
      case "revindex":
        return BigInt(this.len() - index0);
      case "revindex0":
        return BigInt(this.len() - index0 - 1);
      case "first":
        return index0 === 0;
      case "last":
        return this.peek() === undefined;
      case "length":
        return BigInt(this.len());
      case "depth":
        return BigInt(depth0 + 1);
      case "depth0":
        return BigInt(depth0);
      case "previtem":
        return index0 > 0 ? this.previous : new Undefined("there is no previous item");
      case "nextitem": {
        const next = this.peek();
        return next === undefined ? new Undefined("there is no next item") : next;
      }
      case "cycle":
        return new PyFunction(name, (args) => {
          if (args.length === 0) return fail("TypeError", "no items for cycling given");
          return args[this.index0 % args.length];
        });
      case "changed":
        return new PyFunction(name, (args) => this.changed(new PyTuple(args)));
      default:
        return undefined;
    }
  }

  override call(args: readonly PyValue[], kwargs: KeywordArguments): string {
    if (!this.recurse) return fail("TypeError", "the loop must have the 'recursive' marker to be called recursively");
    const items = args.length === 0 ? kwargs.get("iterable") : args[0];
    if (items === undefined || args.length + kwargs.size !== 1) return fail("TypeError", "loop() takes one argument");
    return this.recurse(items);
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.len()}>`;
  }

  private take(): PyValue | undefined {
    return this.ahead === undefined ? this.next() : this.ahead;
  }

  private peek(): PyValue | undefined {
    if (this.ahead === undefined) this.ahead = this.next();
    return this.ahead;
  }

  private next(): PyValue | undefined {
    const next = this.source.next();
    return next.done ? undefined : next.value;
  }

  private changed(values: PyTuple): boolean {
    const same = this.lastChanged !== undefined && equals(this.lastChanged, values);
    this.lastChanged = values;
    return !same;
  }
}
