import { bindArguments } from "./arguments.js";
import { fail } from "./errors.js";
import type { ByName, Filter, FreeFilter } from "./filter.js";
import { NUMBER_FILTERS } from "./filters-number.js";
import { SEQUENCE_FILTERS } from "./filters-sequence.js";
import { TEXT_FILTERS } from "./filters-text.js";
import { TESTS } from "./tests.js";
import { paidByText } from "./text.js";
import { type KeywordArguments, Markup, type PyValue } from "./values.js";
import { spend } from "./work.js";

const FILTERS: ReadonlyMap<string, Filter | FreeFilter> = new Map([
  ...TEXT_FILTERS,
  ...NUMBER_FILTERS,
  ...SEQUENCE_FILTERS,
]);

export function isFilter(name: string): boolean {
  return FILTERS.has(name);
}

/** Whether a filter may look at the template's variables, so that Jinja never applies it ahead of time. */
export function isContextFilter(name: string): boolean {
  return ["map", "select", "reject", "selectattr", "rejectattr"].includes(name);
}

export function isTest(name: string): boolean {
  return TESTS.has(name);
}

export function applyFilter(name: string, value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments): PyValue {
  const filter = FILTERS.get(name);
  if (!filter) return fail("TemplateRuntimeError", `no filter named '${name}'`);
  return paidByText(textOf(value), () =>
    "applyFree" in filter
      ? filter.applyFree(value, args, kwargs, BY_NAME)
      : filter.apply(value, bindArguments(name, filter.parameters, args, kwargs)),
  );
}

export function applyTest(name: string, value: PyValue, args: readonly PyValue[], kwargs: KeywordArguments): boolean {
  const entry = TESTS.get(name);
  if (!entry) return fail("TemplateRuntimeError", `no test named '${name}'`);
  spend(textOf(value).length);
  const [parameters, test] = entry;
  return test(value, bindArguments(name, parameters, args, kwargs) as PyValue[], isFilter);
}

function textOf(value: PyValue): string {
  return typeof value === "string" ? value : value instanceof Markup ? value.text : "";
}

const BY_NAME: ByName = { filter: applyFilter, test: applyTest };
