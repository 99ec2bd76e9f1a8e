import { strftime } from "../strftime.js";
import { tokenizerErrors } from "../tokenizer-errors.js";
import { bindArguments, bindPositional } from "./arguments.js";
import { fail } from "./errors.js";
import { iterate } from "./operators.js";
import { str, textArgument } from "./text.js";
import {
  type KeywordArguments,
  Namespace,
  orElse,
  PyDict,
  PyFunction,
  type PyFunctionBody,
  PyObject,
  PyRange,
  PyTuple,
  type PyValue,
  typeName,
  Undefined,
} from "./values.js";

/** Functions that every template sees. */
export function templateGlobals(now: () => Date): ReadonlyMap<string, PyValue> {
  const values: readonly PyFunction[] = [
    new PyFunction("range", range),
    new PyClass("dict", dictOf),
    new PyClass("jinja2.utils.Namespace", (args, kwargs) => new Namespace(dictOf(args, kwargs)), "namespace"),
    new PyClass("jinja2.utils.Cycler", cycler, "cycler"),
    new PyClass("jinja2.utils.Joiner", joiner, "joiner"),
    new PyFunction("strftime_now", (args, kwargs) => {
      const [format] = bindArguments("strftime_now", ["format"], args, kwargs);
      return strftime(now(), textArgument(format, "the format"));
    }),
    new PyFunction("raise_exception", (args, kwargs) => {
      const [message] = bindArguments("raise_exception", ["message"], args, kwargs) as [PyValue];
      throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_REFUSED({ what: `the chat template says: ${str(message)}` });
    }),
  ];
  return new Map(values.map((value) => [value.name, value]));
}

/** A class, which is a function with a text of its own. */
class PyClass extends PyFunction {
  constructor(
    private readonly qualifiedName: string,
    body: PyFunctionBody,
    name = qualifiedName,
  ) {
    super(name, body);
  }

  override repr(): string {
    return `<class '${this.qualifiedName}'>`;
  }
}

function cycler(args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
  return kwargs.size > 0 ? fail("TypeError", "cycler() takes no keyword arguments") : new Cycler(args);
}

function range(args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
  const bounds = bindPositional("range", ["start", "stop?", "step?"], args, kwargs).map((value) => {
    if (value === undefined || typeof value === "bigint") return value;
    if (typeof value === "boolean") return BigInt(value);
    return fail("TypeError", `'${typeName(value)}' object cannot be interpreted as an integer`);
  });
  const [start, stop, step] = bounds;
  return stop === undefined ? new PyRange(0n, start as bigint, 1n) : new PyRange(start as bigint, stop, step ?? 1n);
}

/** Python's `dict(...)`: a mapping or pairs, and keywords. */
function dictOf(args: readonly PyValue[], kwargs: KeywordArguments): PyDict {
  if (args.length > 1) return fail("TypeError", `expected at most 1 argument, got ${args.length}`);
  const [source] = args;
  if (source instanceof Undefined) return source.fail();
  const dict = PyDict.of(source === undefined ? [] : source instanceof PyDict ? source.entries() : pairsOf(source));
  for (const [key, value] of kwargs) dict.set(key, value);
  return dict;
}

function* pairsOf(source: PyValue): Iterable<[PyValue, PyValue]> {
  for (const pair of iterate(source)) {
    const [key, value, ...more] = iterate(pair);
    if (value === undefined || more.length > 0) return fail("ValueError", "expected a sequence of pairs");
    yield [key, value];
  }
}

class Cycler extends PyObject {
  readonly typeName = "Cycler";
  private position = 0;

  constructor(private readonly items: readonly PyValue[]) {
    super();
    if (items.length === 0) fail("RuntimeError", "at least one item has to be provided");
  }

  override attribute(name: string): PyValue | undefined {
    switch (name) {
      case "current":
        return this.items[this.position];
      case "items":
        return new PyTuple(this.items);
      case "pos":
        return BigInt(this.position);
      case "next":
        return this.method(name, () => {
          const current = this.items[this.position];
          this.position = (this.position + 1) % this.items.length;
          return current;
        });
      case "reset":
        return this.method(name, () => {
          this.position = 0;
          return null;
        });
      default:
        return undefined;
    }
  }

  private method(name: string, body: () => PyValue): PyFunction {
    return new PyFunction(name, (args, kwargs) => {
      bindArguments(name, [], args, kwargs);
      return body();
    });
  }
}

function joiner(args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
  return new Joiner(orElse(bindArguments("joiner", ["sep?"], args, kwargs)[0], ", "));
}

/** Gives nothing when called first, and the separator from then on. */
class Joiner extends PyObject {
  readonly typeName = "Joiner";
  private used = false;

  constructor(private readonly separator: PyValue) {
    super();
  }

  override call(args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
    bindArguments("joiner", [], args, kwargs);
    if (this.used) return this.separator;
    this.used = true;
    return "";
  }

  override attribute(name: string): PyValue | undefined {
    return name === "sep" ? this.separator : name === "used" ? this.used : undefined;
  }
}
