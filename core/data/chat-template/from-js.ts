import { JsonFloat } from "../lossless-json.js";
import { fail } from "./errors.js";
import { PyDict, PyObject, type PyValue, Undefined } from "./values.js";
import { earn, enter, leave, WORK_PER_INPUT } from "./work.js";

/**
 * A template value from JavaScript data. A number with integer value is an integer; a float that happens to be whole is
 * written as {@link JsonFloat}. Objects and Maps become dicts, their undefined members are left out.
 */
export function fromJs(value: unknown): PyValue {
  earn(WORK_PER_INPUT);
  switch (typeof value) {
    case "string":
      earn(WORK_PER_INPUT * value.length);
      return value;
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return Number.isInteger(value) ? BigInt(value) : value;
    case "undefined":
      return new Undefined("a variable is undefined");
    case "object": {
      if (value === null) return null;
      enter(2);
      const object = fromObject(value);
      leave(2);
      return object;
    }
    default:
      return fail("TypeError", `a ${typeof value} cannot be used in a template`);
  }
}

function fromObject(value: object): PyValue {
  if (value instanceof PyObject) return value;
  if (value instanceof JsonFloat) return value.value;
  if (Array.isArray(value)) return value.map(fromJs);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return PyDict.of(entries.filter(([, item]) => item !== undefined).map(([key, item]) => [fromJs(key), fromJs(item)]));
}
