import type { JsonValue } from "../types.js";

/** Whether a value from outside has named members: an object, and no list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The same of JSON. */
export const isJsonObject = (value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> =>
  isObject(value);

/** The members of a JSON object; none of anything else. */
export const objectOf = (value: unknown): Readonly<Record<string, JsonValue>> =>
  isObject(value) ? (value as Readonly<Record<string, JsonValue>>) : {};
