import { fail } from "./errors.js";
import { type KeywordArguments, PyDict, PyObject, PyTuple, type PyValue, Undefined } from "./values.js";

export interface MacroOptions {
  /** Null for the body of a call block. */
  readonly name: string | null;
  readonly parameters: readonly string[];
  /** Whether the body reads `varargs`, `kwargs`, `caller`; otherwise such arguments are refused. */
  readonly takes: { readonly varargs: boolean; readonly kwargs: boolean; readonly caller: boolean };
  /** Undefined entries are arguments that were not given; `special` holds `varargs`, `kwargs` and `caller`. */
  readonly render: (values: readonly (PyValue | undefined)[], special: ReadonlyMap<string, PyValue>) => string;
}

/** A macro, or the `caller` of a call block. */
export class Macro extends PyObject {
  readonly typeName = "Macro";

  constructor(private readonly options: MacroOptions) {
    super();
  }

  override attribute(name: string): PyValue | undefined {
    const { parameters, takes } = this.options;
    switch (name) {
      case "name":
        return this.options.name;
      case "arguments":
        return new PyTuple(parameters);
      case "catch_varargs":
        return takes.varargs;
      case "catch_kwargs":
        return takes.kwargs;
      case "caller":
        return takes.caller;
      case "explicit_caller":
        return parameters.includes("caller");
      default:
        return undefined;
    }
  }

  override call(args: readonly PyValue[], kwargs: KeywordArguments): string {
    const { parameters, takes, render } = this.options;
    const rest = new Map(kwargs);
    const values = parameters.map((parameter, i) => {
      if (i < args.length) return args[i];
      const value = rest.get(parameter);
      rest.delete(parameter);
      return value;
    });
    const special = new Map<string, PyValue>();
    if (takes.caller && !parameters.includes("caller")) {
      special.set("caller", rest.get("caller") ?? new Undefined("No caller defined"));
      rest.delete("caller");
    }
    if (takes.kwargs) special.set("kwargs", PyDict.of(rest));
    else if (rest.size > 0) {
      return fail("TypeError", `${this.repr()} takes no keyword argument '${[...rest.keys()][0]}'`);
    }
    if (takes.varargs) special.set("varargs", new PyTuple(args.slice(parameters.length)));
    else if (args.length > parameters.length) {
      return fail("TypeError", `${this.repr()} takes not more than ${parameters.length} argument(s)`);
    }
    return render(values, special);
  }

  override repr(): string {
    const { name } = this.options;
    return `<Macro ${name === null ? "anonymous" : `'${name}'`}>`;
  }
}
