import type { KeywordArguments, PyValue } from "./values.js";

/** A filter with its parameters after the value; names that end with `?` are optional. */
export interface Filter {
  readonly parameters: readonly string[];
  readonly apply: (value: PyValue, args: readonly (PyValue | undefined)[]) => PyValue;
}

/** A filter that takes whatever it is given, and may apply others by name. */
export interface FreeFilter {
  readonly applyFree: (value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments, by: ByName) => PyValue;
}

/** Filters and tests by name, as `map` and `select` use them. */
export interface ByName {
  filter(name: string, value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments): PyValue;
  test(name: string, value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments): boolean;
}

export type FilterTable = readonly (readonly [string, Filter | FreeFilter])[];
