import { isJson } from "./json-scanner.js";

/** The JSON object with the given members, whose values are JSON texts; of a repeated name the last value counts. */
export function objectText(members: Iterable<readonly [name: string, json: string]>): string {
  const parts = [...new Map(members)].map(([name, json]) => `${JSON.stringify(name)}: ${json}`);
  return `{${parts.join(", ")}}`;
}

/** A value between tags, without the white space around it: as it is if it is JSON, else as a JSON string. */
export function jsonOrText(raw: string): string {
  const text = raw.trim();
  return isJson(text) ? text : JSON.stringify(text);
}
