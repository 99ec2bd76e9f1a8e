import { composeToolParser } from "./compose-tool-parser.js";
import { type JsonBody, membersOf, readJson } from "./json-body.js";
import { Prose } from "./prose.js";
import { TagSet } from "./tag-set.js";
import type { TurnWriter } from "./turn-writer.js";

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";
const OPENS = new TagSet([OPEN]);
const CLOSES = new TagSet([CLOSE]);

/**
 * `<tool_call>{"name": …, "arguments": …}</tool_call>`, as Hermes and Qwen models write it. Content is everything outside
 * closed blocks; a block that is not closed is content too.
 */
export const hermes = composeToolParser({
  name: "hermes",
  *parse(input, out, { startsInThought }) {
    const prose = new Prose(input, out, { opens: [OPEN], startsInThought });
    while ((yield* prose.next()) !== null) {
      input.begin();
      input.skip(OPEN);
      const body = yield* readJson(input, CLOSES, OPENS);
      if (body.stop === null) return out.content(input.commit());
      input.skip(CLOSE);
      writeCall(body, input.commit(), out);
    }
  },
});

function writeCall({ text: json, problem }: JsonBody, text: string, out: TurnWriter): void {
  const members = problem === null ? membersOf(json) : null;
  const name = nameIn(members?.get("name"));
  const args = members?.get("arguments");
  if (problem !== null) out.malformed(guessName(json), `is not JSON: ${problem}`, text);
  else if (members === null) out.malformed(null, "is not a JSON object", text);
  else if (name === null) out.malformed(null, 'has no text as "name"', text);
  else if (args === undefined) out.malformed(name, 'has no "arguments"', text);
  else out.call({ name, arguments: args });
}

function nameIn(json: string | undefined): string | null {
  return json?.startsWith('"') ? (JSON.parse(json) as string) : null;
}

/** The name in a text that is not JSON, to say which call failed. */
function guessName(text: string): string | null {
  return /"name"\s*:\s*"([^"\\]{1,256})"/.exec(text)?.[1] ?? null;
}
