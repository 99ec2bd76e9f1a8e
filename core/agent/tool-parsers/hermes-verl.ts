import { type LosslessJson, parseLosslessJson } from "../../data/lossless-json.js";
import { dumpsLikePython } from "../../data/python-json.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import { composeToolParser } from "./compose-tool-parser.js";
import { TagSet } from "./tag-set.js";
import type { TurnWriter } from "./turn-writer.js";

const OPENS = new TagSet(["<tool_call>"]);
const CLOSES = new TagSet(["</tool_call>"]);

/**
 * The `hermes` format as verl's regular expression reads it: a block ends at the first closing tag, even inside a JSON string;
 * think blocks are text like any other, and calls in them count; arguments are written anew as Python's `json.dumps` does.
 */
export const hermesVerl = composeToolParser({
  name: "hermes_verl",
  *parse(input, out) {
    for (;;) {
      const open = yield* input.until(OPENS, (text) => out.content(text));
      if (open === null) return;
      input.begin();
      input.skip(open);
      input.begin();
      const close = yield* input.until(CLOSES);
      const body = input.commit();
      if (close === null) return out.content(input.commit());
      input.skip(close);
      writeCall(body, input.commit(), out);
    }
  },
});

function writeCall(body: string, text: string, out: TurnWriter): void {
  let value: LosslessJson = null;
  let problem = "";
  try {
    value = parseLosslessJson(body);
  } catch (error) {
    problem = isVerlError(error) ? error.what : reasonOf(error);
  }
  const name = value instanceof Map ? value.get("name") : undefined;
  const args = value instanceof Map ? value.get("arguments") : undefined;
  if (problem !== "") out.malformed(null, `is ${problem}`, text);
  else if (typeof name !== "string") out.malformed(null, 'has no text as "name"', text);
  else if (args === undefined) out.malformed(name, 'has no "arguments"', text);
  else out.call({ name, arguments: dumpsLikePython(args) });
}
