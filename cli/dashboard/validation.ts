import type { SeriesStore } from "../../core/tracking/index.js";
import type { ValidationRow } from "./answers.js";

/** Normal quantile of a 95 % interval. */
const Z95 = 1.96;

/** What a run logged of its validations, core metrics first. */
export function validationTable(store: SeriesStore): ValidationRow[] {
  const names = store.names().filter((name) => name.startsWith("val-core/") || name.startsWith("val-aux/"));
  const isCore = (name: string) => name.startsWith("val-core/");
  return [...names.filter(isCore), ...names.filter((name) => !isCore(name))].flatMap((name) => {
    const { first, max, last } = store.get(name) ?? {};
    if (!first || !max || !last) return [];
    const error = store.get(`${name.replace(/^val-core\//, "val-aux/")}/stderr`)?.last;
    return [{ name, first, highest: max, last, interval: error?.step === last.step ? Z95 * error.value : null }];
  });
}
