import { bindArguments } from "./arguments.js";
import { fail } from "./errors.js";
import { NUMBER_FILTERS } from "./filters-number.js";
import { SEQUENCE_FILTERS } from "./filters-sequence.js";
import { TEXT_FILTERS } from "./filters-text.js";
import type { KeywordArguments, PyValue } from "./values.js";

/** A filter with its parameters after the value; names that end with `?` are optional. */
export interface Filter {
  readonly parameters: readonly string[];
  readonly apply: (value: PyValue, args: readonly (PyValue | undefined)[]) => PyValue;
}

/** A filter that takes whatever it is given. */
export interface FreeFilter {
  readonly applyFree: (value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments) => PyValue;
}

export type FilterTable = readonly (readonly [string, Filter | FreeFilter])[];

export const FILTERS: ReadonlyMap<string, Filter | FreeFilter> = new Map([
  ...TEXT_FILTERS,
  ...NUMBER_FILTERS,
  ...SEQUENCE_FILTERS,
]);

export function applyFilter(name: string, value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
  const filter = FILTERS.get(name);
  if (!filter) return fail("TemplateRuntimeError", `no filter named '${name}'`);
  if ("applyFree" in filter) return filter.applyFree(value, args, kwargs);
  return filter.apply(value, bindArguments(name, filter.parameters, args, kwargs));
}
