import { fail } from "./errors.js";
import { equals } from "./operators.js";
import { PyFunction, PyObject, PyTuple, type PyValue, Undefined } from "./values.js";

/** The variable `loop` inside a for loop; calling it renders a recursive loop over other items. */
export class LoopContext extends PyObject {
  readonly typeName = "LoopContext";
  index0 = 0;
  private lastChanged: PyValue | undefined;

  constructor(
    private readonly items: readonly PyValue[],
    private readonly depth0: number,
    /** Null when the loop is not recursive. */
    private readonly recurse: ((items: PyValue) => string) | null,
  ) {
    super();
  }

  override attribute(name: string): PyValue | undefined {
    const { index0, items, depth0 } = this;
    switch (name) {
      case "index":
        return BigInt(index0 + 1);
      case "index0":
        return BigInt(index0);
      case "revindex":
        return BigInt(items.length - index0);
      case "revindex0":
        return BigInt(items.length - index0 - 1);
      case "first":
        return index0 === 0;
      case "last":
        return index0 === items.length - 1;
      case "length":
        return BigInt(items.length);
      case "depth":
        return BigInt(depth0 + 1);
      case "depth0":
        return BigInt(depth0);
      case "previtem":
        return index0 > 0 ? items[index0 - 1] : new Undefined("there is no previous item");
      case "nextitem":
        return index0 + 1 < items.length ? items[index0 + 1] : new Undefined("there is no next item");
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

  call(args: readonly PyValue[]): string {
    if (!this.recurse) return fail("TypeError", "the loop must have the 'recursive' marker to be called recursively");
    if (args.length !== 1) return fail("TypeError", "loop() takes one argument");
    return this.recurse(args[0]);
  }

  private changed(values: PyTuple): boolean {
    const same = this.lastChanged !== undefined && equals(this.lastChanged, values);
    this.lastChanged = values;
    return !same;
  }
}
