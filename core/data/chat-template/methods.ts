import { bindArguments, bindPositional } from "./arguments.js";
import { fail } from "./errors.js";
import { exactFraction } from "./float-digits.js";
import { equals, escapeHtml, iterate } from "./operators.js";
import { slice } from "./slicing.js";
import { STRING_METHODS } from "./string-methods.js";
import { indexArgument, paidByText, str } from "./text.js";
import { DictView, Markup, orElse, PyDict, type PyFunctionBody, PyRange, PyTuple, type PyValue } from "./values.js";

/** The method of a built-in type, bound to its object; undefined when there is none of that name. */
export function methodOf(object: PyValue, name: string): PyFunctionBody | undefined {
  if (typeof object === "string") {
    const method = STRING_METHODS.get(name);
    return method && ((args, kwargs) => paidByText(object, () => method(object, args, kwargs)));
  }
  if (object instanceof Markup) return markupMethod(object, name);
  if (Array.isArray(object))
    return name === "copy" ? withoutArguments(name, () => [...iterate(object)]) : sequenceMethod(object, name);
  if (object instanceof PyTuple || object instanceof PyRange) return sequenceMethod(object, name);
  if (object instanceof PyDict) return dictMethod(object, name);
  if (typeof object === "number") return floatMethod(object, name);
  if (typeof object === "bigint" || typeof object === "boolean") return integerMethod(BigInt(object), name);
  return undefined;
}

function withoutArguments(name: string, body: () => PyValue): PyFunctionBody {
  return (args, kwargs) => {
    bindArguments(name, [], args, kwargs);
    return body();
  };
}

/** Methods of safe markup escape the texts that they put in, and give safe markup. */
function markupMethod({ text }: Markup, name: string): PyFunctionBody | undefined {
  const method = STRING_METHODS.get(name);
  if (!method) return undefined;
  return (args, kwargs) => marked(paidByText(text, () => method(text, escapedArguments(name, args), kwargs)));
}

/** Where methods take a text that ends up in the result. */
const INSERTED: Readonly<Record<string, number>> = { replace: 1, center: 1, ljust: 1, rjust: 1 };

function escapedArguments(name: string, args: readonly PyValue[]): readonly PyValue[] {
  const escaped = (value: PyValue): PyValue => (value instanceof Markup ? value.text : escapeHtml(str(value)));
  if (name === "join") return args.map((items) => [...iterate(items)].map(escaped));
  return args.map((value, i) => (i === INSERTED[name] ? escaped(value) : value));
}

function marked(value: PyValue): PyValue {
  if (typeof value === "string") return new Markup(value);
  if (Array.isArray(value)) return value.map(marked);
  return value instanceof PyTuple ? new PyTuple(value.items.map(marked)) : value;
}

function sequenceMethod(sequence: PyValue[] | PyTuple | PyRange, name: string): PyFunctionBody | undefined {
  if (name === "count") {
    return (args, kwargs) => {
      const [value] = bindPositional(name, ["value"], args, kwargs) as [PyValue];
      return BigInt([...iterate(sequence)].filter((item) => equals(item, value)).length);
    };
  }
  if (name !== "index") return undefined;
  return (args, kwargs) => {
    const [value, start, stop] = bindPositional(name, ["value", "start?", "stop?"], args, kwargs) as [
      PyValue,
      ...PyValue[],
    ];
    const bounds = [start, stop].map((bound) => (bound === undefined ? null : indexArgument(bound)));
    const items = [...iterate(sequence)];
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
      return withoutArguments(name, () => new DictView(dict, name));
    case "get":
      return (args, kwargs) => {
        const [key, fallback] = bindPositional(name, ["key", "default?"], args, kwargs) as [PyValue, PyValue?];
        return orElse(dict.get(key), orElse(fallback, null));
      };
    case "copy":
      return withoutArguments(name, () => PyDict.of(dict.entries()));
    case "fromkeys":
      return (args, kwargs) => {
        const [keys, value] = bindPositional(name, ["iterable", "value?"], args, kwargs) as [PyValue, PyValue?];
        return PyDict.of([...iterate(keys)].map((key) => [key, orElse(value, null)]));
      };
    default:
      return undefined;
  }
}

function floatMethod(value: number, name: string): PyFunctionBody | undefined {
  if (name === "is_integer") return withoutArguments(name, () => Number.isInteger(value));
  if (name === "conjugate") return withoutArguments(name, () => value);
  if (name !== "as_integer_ratio") return undefined;
  return withoutArguments(name, () => {
    if (!Number.isFinite(value)) return fail("OverflowError", "cannot convert the float to an integer ratio");
    const [top, bottom] = exactFraction(Math.abs(value));
    const shared = commonPowerOfTwo(top, bottom);
    return new PyTuple([(value < 0 ? -top : top) / shared, bottom / shared]);
  });
}

/** The largest power of two that divides both; `bottom` is one itself. */
function commonPowerOfTwo(top: bigint, bottom: bigint): bigint {
  if (top === 0n) return bottom;
  const lowestBit = top & -top;
  return lowestBit < bottom ? lowestBit : bottom;
}

function integerMethod(value: bigint, name: string): PyFunctionBody | undefined {
  const bits = (value < 0n ? -value : value).toString(2);
  switch (name) {
    case "bit_length":
      return withoutArguments(name, () => (value === 0n ? 0n : BigInt(bits.length)));
    case "bit_count":
      return withoutArguments(name, () => BigInt(bits.replaceAll("0", "").length));
    case "conjugate":
      return withoutArguments(name, () => value);
    case "as_integer_ratio":
      return withoutArguments(name, () => new PyTuple([value, 1n]));
    default:
      return undefined;
  }
}
