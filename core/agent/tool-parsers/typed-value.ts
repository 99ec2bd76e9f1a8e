import type { JsonValue } from "../../host/types.js";
import { isJson } from "./json-scanner.js";
import { pythonLiteral } from "./python-literal.js";
import { anyNumber, wholeNumber } from "./python-number.js";
import { objectOf } from "./tool-schemas.js";

/**
 * A value that was written without quotes, as JSON, by the type that its schema declares; what does not fit the type is text.
 * Without a schema everything but `null` is text.
 */
export function typedValue(text: string, schema: JsonValue | undefined): string {
  if (text.toLowerCase() === "null") return "null";
  return valueOfType(text, typeOf(schema)) ?? JSON.stringify(text);
}

/** Null if the text has no value of this type. */
function valueOfType(text: string, type: string): string | null {
  if (STRINGS.includes(type)) return null;
  if (/^(?:int|uint|long|short|unsigned)/.test(type)) return wholeNumber(text);
  if (/^(?:num|float)/.test(type)) return anyNumber(text);
  if (BOOLEANS.includes(type)) return String(text.trim().toLowerCase() === "true");
  const trimmed = text.trim();
  return isJson(trimmed) ? trimmed : pythonLiteral(trimmed);
}

const STRINGS = ["string", "str", "text", "varchar", "char", "enum"];
const BOOLEANS = ["boolean", "bool", "binary"];

/** The declared type; "string" where none is, "any" where there are several. */
function typeOf(schema: JsonValue | undefined): string {
  const { type, anyOf, oneOf } = objectOf(schema) ?? {};
  if (typeof type === "string") return type.trim().toLowerCase();
  if (type !== undefined) return "any";
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return "string";
  return choices.map(typeOf).every((choice) => STRINGS.includes(choice) || choice === "null") ? "string" : "any";
}
