import { bindArguments, bindPositional } from "./arguments.js";
import { fail } from "./errors.js";
import { equals, iterate } from "./operators.js";
import { slice } from "./slicing.js";
import { STRING_METHODS } from "./string-methods.js";
import { integerArgument, paidByText } from "./text.js";
import { DictView, Markup, orElse, PyDict, type PyFunctionBody, PyRange, PyTuple, type PyValue } from "./values.js";
import { spend } from "./work.js";

/** The method of a built-in type, bound to its object; undefined when there is none of that name. */
export function methodOf(object: PyValue, name: string): PyFunctionBody | undefined {
  if (typeof object === "string" || object instanceof Markup) {
    const text = typeof object === "string" ? object : object.text;
    const method = STRING_METHODS.get(name);
    return method && ((args, kwargs) => paidByText(text, () => method(text, args, kwargs)));
  }
  if (Array.isArray(object)) return name === "copy" ? () => [...iterate(object)] : sequenceMethod(object, name);
  if (object instanceof PyTuple) return sequenceMethod(object.items, name);
  if (object instanceof PyRange) return sequenceMethod(object, name);
  if (object instanceof PyDict) return dictMethod(object, name);
  if (typeof object === "number" && name === "is_integer") return () => Number.isInteger(object);
  return undefined;
}

function sequenceMethod(sequence: readonly PyValue[] | PyRange, name: string): PyFunctionBody | undefined {
  if (name === "count") {
    return (args, kwargs) => {
      const [value] = bindPositional(name, ["value"], args, kwargs) as [PyValue];
      spend(sequence.length);
      return BigInt([...sequence].filter((item) => equals(item, value)).length);
    };
  }
  if (name !== "index") return undefined;
  return (args, kwargs) => {
    const [value, start, stop] = bindPositional(name, ["value", "start?", "stop?"], args, kwargs) as [
      PyValue,
      ...PyValue[],
    ];
    spend(sequence.length);
    const items = [...sequence];
    const bounds = [start, stop].map((bound) => (bound === undefined ? null : integerArgument(bound, "index")));
    const positions = slice([...items.keys()], bounds[0], bounds[1], 1);
    const found = positions.find((position) => equals(items[position], value));
    return found === undefined ? fail("ValueError", "the value is not in the list") : BigInt(found);
  };
}

function dictMethod(dict: PyDict, name: string): PyFunctionBody | undefined {
  switch (name) {
    case "keys":
    case "values":
    case "items":
      return (args, kwargs) => {
        bindArguments(name, [], args, kwargs);
        return new DictView(dict, name);
      };
    case "get":
      return (args, kwargs) => {
        const [key, fallback] = bindPositional(name, ["key", "default?"], args, kwargs) as [PyValue, PyValue?];
        return orElse(dict.get(key), orElse(fallback, null));
      };
    case "copy":
      return () => PyDict.of(dict.entries());
    default:
      return undefined;
  }
}
