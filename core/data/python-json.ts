import { fromJs } from "./chat-template/from-js.js";
import { type DumpOptions, dumps } from "./chat-template/python-json.js";

export type { DumpOptions };

/**
 * The text that Python's `json.dumps` gives: `, ` and `: ` between parts, `1.0` for a float, integers of any size. Takes plain data
 * or what `parseLosslessJson` returns.
 */
export function dumpsLikePython(value: unknown, options: DumpOptions = {}): string {
  return dumps(fromJs(value), options);
}
