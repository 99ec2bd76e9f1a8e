import { jsonOrText, objectText } from "./argument-texts.js";
import { composeToolParser } from "./compose-tool-parser.js";
import { Prose, THINK } from "./prose.js";
import { TagSet } from "./tag-set.js";
import { ValueReader } from "./tagged-value.js";
import type { Parsing, TextCursor } from "./text-cursor.js";
import type { ToolCall } from "./tool-parser.js";

const CALL = { open: "<tool_call>", close: "</tool_call>" };
const KEY = { open: "<arg_key>", close: "</arg_key>" };
const VALUE = { open: "<arg_value>", close: "</arg_value>" };

const IN_CALL = new TagSet([KEY.open, CALL.close]);
const IN_KEY = new TagSet([KEY.close, CALL.close]);
const AFTER_KEY = new TagSet([VALUE.open, KEY.open, CALL.close]);
const BARE_CLOSE = new TagSet([THINK.close]);

/**
 * `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>`, as GLM-4.5 and later write it. Content is the
 * text before the first call. A turn that begins with a bare `</think>` loses it if there is a call, and is held back until then.
 */
export const glm = composeToolParser({
  name: "glm",
  stopTokens: ["<|observation|>"],
  *parse(input, out, { startsInThought }) {
    let held: string | null = null;
    if (!startsInThought && (yield* input.match(BARE_CLOSE)) !== null) {
      input.skip(THINK.close);
      held = "";
    }
    const content = (text: string) => {
      if (held === null) out.content(text);
      else held += text;
    };
    const prose = new Prose(input, out, { opens: [CALL.open], startsInThought, content });
    const values = new ValueReader(input, {
      close: VALUE.close,
      call: CALL,
      outerCloses: [],
      opens: [KEY.open, CALL.open],
      follows: { [VALUE.close]: IN_CALL.tags },
    });
    while ((yield* prose.next()) !== null) {
      input.begin();
      input.skip(CALL.open);
      const call = yield* readCall(input, values);
      const text = input.commit();
      if (call === null) {
        if (prose.keep) content(text);
        break;
      }
      out.content(held ?? "");
      held = null;
      prose.keep = false;
      if (/^[^\s<]+$/.test(call.name)) out.call(call);
      else out.malformed(null, "names no tool", text);
    }
    if (held !== null) out.content(THINK.close + held);
  },
});

/** The rest of a call with its closing tag; null if the text ends before. A pair that is not complete is left out. */
function* readCall(input: TextCursor, values: ValueReader): Parsing<ToolCall | null> {
  const members: (readonly [string, string])[] = [];
  input.begin();
  let tag = yield* input.until(IN_CALL);
  const name = input.commit().trim();
  while (tag === KEY.open) {
    input.skip(tag);
    input.begin();
    tag = yield* input.until(IN_KEY);
    const key = input.commit().trim();
    if (tag === KEY.close) tag = yield* input.until(AFTER_KEY);
    if (tag !== VALUE.open) continue;
    input.skip(tag);
    const value = yield* values.read();
    if (value.closed) members.push([key, jsonOrText(value.text)]);
    tag = yield* input.until(IN_CALL);
  }
  if (tag === null) return null;
  input.skip(tag);
  return { name, arguments: objectText(members) };
}
