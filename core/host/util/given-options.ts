import { callerPlace } from "../error-place.js";
import { pluginErrors } from "../plugin-errors.js";
import { didYouMean } from "./nearest.js";
import { isObject } from "./plain-object.js";
import { shown } from "./shown.js";

/** What an option must be, in words for an error; null where the value is that. */
export type OptionForm = (value: unknown) => string | null;

/** One for every option, so that none is forgotten. */
export type OptionForms<T> = { readonly [K in keyof T]-?: OptionForm };

const form =
  (what: string, fits: (value: unknown) => boolean): OptionForm =>
  (value) =>
    fits(value) ? null : what;

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

export const maybeEmpty = form("a text", (value) => typeof value === "string");
export const aText = form("a text", isText);
export const aFlag = form("true or false", (value) => typeof value === "boolean");
export const aFunction = form("a function", (value) => typeof value === "function");
export const aSignal = form("an AbortSignal", (value) => value instanceof AbortSignal);
export const anObject = form("an object", isObject);
export const texts = form("a list of texts, with one at least", (value) => {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
});
export const wholeFrom = (least: number): OptionForm =>
  form(`a whole number from ${least} on`, (value) => Number.isSafeInteger(value) && (value as number) >= least);
export const from = (least: number): OptionForm =>
  form(`a number from ${least} on`, (value) => typeof value === "number" && value >= least);
export const above = (limit: number): OptionForm =>
  form(`a number above ${limit}`, (value) => typeof value === "number" && value > limit);

/** It may be left out, or be undefined. */
export const optional =
  (inner: OptionForm): OptionForm =>
  (value) =>
    value === undefined ? null : inner(value);

export const orNull =
  (inner: OptionForm): OptionForm =>
  (value) =>
    value === null ? null : both(inner(value));

const both = (what: string | null): string | null => what && `${what}, or null`;

/**
 * Options that code of the user's has given to a function of ours: an unknown name would be ignored without a word, and a
 * value of the wrong kind fails much later, elsewhere.
 *
 * @throws VERL_USER_BAD_OPTION, with the caller's line
 */
export function requireOptions<T extends object>(of: string, given: unknown, forms: OptionForms<T>): void {
  const names = Object.keys(forms);
  if (!isObject(given) || given instanceof AbortSignal) {
    throw refusal(of, `${of} takes an object of options, not ${printed(given)}`, names);
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw refusal(of, `${of} has no option "${unknown}".${didYouMean(unknown, names)}`, names);
  }
  for (const name of names) {
    const value = given[name];
    const wanted = forms[name as keyof T](value);
    if (wanted === null) continue;
    const what =
      value === undefined ? `${of} needs the option ${name}` : `the option ${name} of ${of} is ${printed(value)}`;
    throw refusal(of, what, names, `${name} is ${wanted}`);
  }
}

/** An argument that is not an object of options. @throws VERL_USER_BAD_OPTION */
export function requireArgument(of: string, name: string, value: unknown, wanted: OptionForm): void {
  const what = wanted(value);
  if (what !== null) throw refusal(of, `${name} of ${of} is ${printed(value)}`, [], `${name} is ${what}`);
}

function refusal(of: string, what: string, names: readonly string[], fix?: string): Error {
  return pluginErrors.VERL_USER_BAD_OPTION({
    what,
    where: callerPlace() ?? of,
    fix: fix ?? `its options are ${names.join(", ")}`,
  });
}

/** Values of any kind, in a few words. */
function printed(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (value instanceof AbortSignal) return "an AbortSignal";
  if (typeof value === "number" || typeof value === "undefined") return String(value);
  try {
    return shown(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
