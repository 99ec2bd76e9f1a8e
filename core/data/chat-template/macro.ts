import type { Takes } from "./ast.js";
import { fail } from "./errors.js";
import { type KeywordArguments, PyDict, PyObject, PyTuple, type PyValue } from "./values.js";

export interface MacroOptions {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Other implicit arguments are refused. */
  readonly takes: Takes;
  /** Undefined entries are arguments that were not given. */
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
      default:
        return undefined;
    }
  }

  call(args: readonly PyValue[], kwargs: KeywordArguments): string {
    const { name, parameters, takes, render } = this.options;
    const rest = new Map(kwargs);
    const values = parameters.map((parameter, i) => {
      if (i < args.length) return args[i];
      const value = rest.get(parameter);
      rest.delete(parameter);
      return value;
    });
    const special = new Map<string, PyValue>();
    if (takes.caller && !parameters.includes("caller")) {
      const caller = rest.get("caller");
      rest.delete("caller");
      if (caller !== undefined) special.set("caller", caller);
    }
    if (takes.kwargs) special.set("kwargs", PyDict.of(rest));
    else if (rest.size > 0) {
      return fail("TypeError", `macro '${name}' takes no keyword argument '${[...rest.keys()][0]}'`);
    }
    if (takes.varargs) special.set("varargs", new PyTuple(args.slice(parameters.length)));
    else if (args.length > parameters.length) {
      return fail("TypeError", `macro '${name}' takes not more than ${parameters.length} argument(s)`);
    }
    return render(values, special);
  }
}
