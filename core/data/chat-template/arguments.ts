import { fail } from "./errors.js";
import type { KeywordArguments, PyValue } from "./values.js";

/**
 * Match the arguments of a call to parameter names, as Python does. Names that end with `?` are optional. The result has one
 * entry a parameter, undefined where nothing was given.
 */
export function bindArguments(
  name: string,
  parameters: readonly string[],
  args: readonly PyValue[],
  kwargs: KeywordArguments,
): (PyValue | undefined)[] {
  if (args.length > parameters.length) {
    return fail("TypeError", `${name}() takes at most ${parameters.length} arguments (${args.length} given)`);
  }
  const bound: (PyValue | undefined)[] = [...args];
  bound.length = parameters.length;
  for (const [key, value] of kwargs) {
    const index = parameters.findIndex((parameter) => parameter === key || parameter === `${key}?`);
    if (index < 0) return fail("TypeError", `${name}() got an unexpected keyword argument '${key}'`);
    if (index < args.length) return fail("TypeError", `${name}() got multiple values for argument '${key}'`);
    bound[index] = value;
  }
  const absent = parameters.find((parameter, i) => !parameter.endsWith("?") && bound[i] === undefined);
  if (absent) return fail("TypeError", `${name}() missing required argument '${absent}'`);
  return bound;
}

/** As {@link bindArguments}, for the many built-in methods of Python that take no keywords. */
export function bindPositional(
  name: string,
  parameters: readonly string[],
  args: readonly PyValue[],
  kwargs: KeywordArguments,
): (PyValue | undefined)[] {
  if (kwargs.size > 0) return fail("TypeError", `${name}() takes no keyword arguments`);
  return bindArguments(name, parameters, args, kwargs);
}
