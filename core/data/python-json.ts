import { TemplateFailure } from "./chat-template/errors.js";
import { fromJs } from "./chat-template/from-js.js";
import { type DumpOptions, dumps } from "./chat-template/python-json.js";
import { withAccount } from "./chat-template/work.js";
import { tokenizerErrors } from "./tokenizer-errors.js";

export type { DumpOptions };

/**
 * The text that Python's `json.dumps` gives: `, ` and `: ` between parts, `1.0` for a float, integers of any size. Takes plain data
 * or what `parseLosslessJson` returns. What Python refuses too (functions, values inside themselves) is `VERL_DATA_JSON_UNWRITABLE`.
 */
export function dumpsLikePython(value: unknown, options: DumpOptions = {}): string {
  try {
    return withAccount(Number.POSITIVE_INFINITY, () => dumps(fromJs(value), options));
  } catch (cause) {
    if (!(cause instanceof TemplateFailure)) throw cause;
    throw tokenizerErrors.VERL_DATA_JSON_UNWRITABLE({
      what: "a value cannot be written as JSON",
      why: `${cause.kind}: ${cause.message}`,
      cause,
    });
  }
}
