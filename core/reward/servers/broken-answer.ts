import type { JsonValue } from "../../host/types.js";
import { isObject } from "../../host/util/plain-object.js";
import { shown } from "../../host/util/shown.js";

/** Why an answer that lacks what was asked for does: what the server says of an error, else the beginning of the answer. */
export function whyLacking(answer: JsonValue): string {
  const { error } = isObject(answer) ? (answer as { readonly error?: JsonValue }) : {};
  if (error == null) return `the answer is ${shown(answer)}`;
  const { message } = isObject(error) ? (error as { readonly message?: JsonValue }) : {};
  return `the server says ${shown(message ?? error)}`;
}
