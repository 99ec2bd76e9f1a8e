import { strftime } from "../strftime.js";
import { tokenizerErrors } from "../tokenizer-errors.js";
import { bindArguments } from "./arguments.js";
import { fail } from "./errors.js";
import { iterate } from "./operators.js";
import { str } from "./text.js";
import {
  Namespace,
  orElse,
  PyDict,
  PyFunction,
  type PyFunctionBody,
  PyObject,
  PyRange,
  type PyValue,
  typeName,
} from "./values.js";

/** Functions that every template sees. */
export function templateGlobals(now: () => Date): ReadonlyMap<string, PyValue> {
  const functions: Readonly<Record<string, PyFunctionBody>> = {
    range,
    dict: (args, kwargs) => mergeInto(new PyDict(), args, kwargs, (dict, key, value) => dict.set(key, value)),
    namespace: (args, kwargs) =>
      mergeInto(new Namespace(), args, kwargs, (space, key, value) => space.values.set(str(key), value)),
    cycler: (args) => new Cycler(args),
    joiner: (args, kwargs) => joiner(bindArguments("joiner", ["sep?"], args, kwargs)[0]),
    strftime_now: (args, kwargs) =>
      strftime(now(), str(bindArguments("strftime_now", ["format"], args, kwargs)[0] as PyValue)),
    raise_exception: (args, kwargs) => {
      const [message] = bindArguments("raise_exception", ["message"], args, kwargs) as [PyValue];
      throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_REFUSED({ what: `the chat template says: ${str(message)}` });
    },
  };
  return new Map(Object.entries(functions).map(([name, body]) => [name, new PyFunction(name, body)]));
}

function range(args: readonly PyValue[], kwargs: ReadonlyMap<string, PyValue>): PyValue {
  const bounds = bindArguments("range", ["start", "stop?", "step?"], args, kwargs).map((value) => {
    if (value === undefined || typeof value === "bigint") return value;
    if (typeof value === "boolean") return BigInt(value);
    return fail("TypeError", `'${typeName(value)}' object cannot be interpreted as an integer`);
  });
  const [start, stop, step] = bounds;
  return stop === undefined ? new PyRange(0n, start as bigint, 1n) : new PyRange(start as bigint, stop, step ?? 1n);
}

function mergeInto<T extends PyObject>(
  target: T,
  args: readonly PyValue[],
  kwargs: ReadonlyMap<string, PyValue>,
  set: (target: T, key: PyValue, value: PyValue) => void,
): T {
  if (args.length > 1) return fail("TypeError", `expected at most 1 argument, got ${args.length}`);
  if (args.length === 1) {
    const [source] = args;
    for (const pair of source instanceof PyDict ? source.entries() : iterate(source)) {
      const [key, value, ...more] = Array.isArray(pair) ? pair : [...iterate(pair)];
      if (value === undefined || more.length > 0) return fail("ValueError", "expected a sequence of pairs");
      set(target, key, value);
    }
  }
  for (const [key, value] of kwargs) set(target, key, value);
  return target;
}

class Cycler extends PyObject {
  readonly typeName = "Cycler";
  private position = 0;

  constructor(private readonly items: readonly PyValue[]) {
    super();
    if (items.length === 0) fail("TypeError", "at least one item has to be provided");
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "current") return this.items[this.position];
    if (name === "next") {
      return new PyFunction(name, () => {
        const current = this.items[this.position];
        this.position = (this.position + 1) % this.items.length;
        return current;
      });
    }
    if (name !== "reset") return undefined;
    return new PyFunction(name, () => {
      this.position = 0;
      return null;
    });
  }
}

function joiner(separator: PyValue | undefined): PyFunction {
  let used = false;
  return new PyFunction("joiner", () => {
    if (used) return orElse(separator, ", ");
    used = true;
    return "";
  });
}
