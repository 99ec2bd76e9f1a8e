import { composeToolParser } from "./compose-tool-parser.js";
import { readGemmaCall, TEXT_MARK } from "./gemma4-call.js";
import { Prose, THINK } from "./prose.js";
import { TagSet } from "./tag-set.js";

const OPEN = "<|tool_call>";
const CLOSE = "<tool_call|>";

const IN_CALL = new TagSet([CLOSE, TEXT_MARK]);
const IN_TEXT = new TagSet([TEXT_MARK]);
const THOUGHTS = [{ open: "<|channel>thought", close: "<channel|>" }, THINK];

/**
 * `<|tool_call>call:NAME{KEY:VALUE,…}<tool_call|>`, as Gemma 4 writes it, texts between `<|"|>` marks. Content is the text before
 * the first call.
 */
export const gemma4 = composeToolParser({
  name: "gemma4",
  stopTokens: [CLOSE],
  *parse(input, out, { startsInThought }) {
    const prose = new Prose(input, out, { opens: [OPEN], thoughts: THOUGHTS, startsInThought });
    while ((yield* prose.next()) !== null) {
      input.begin();
      input.skip(OPEN);
      input.begin();
      let tag = yield* input.until(IN_CALL);
      while (tag === TEXT_MARK) {
        input.skip(tag);
        tag = yield* input.until(IN_TEXT);
        if (tag === null) break;
        input.skip(tag);
        tag = yield* input.until(IN_CALL);
      }
      const body = input.commit();
      if (tag === null) {
        const text = input.commit();
        if (prose.keep) out.content(text);
        return;
      }
      input.skip(CLOSE);
      const text = input.commit();
      prose.keep = false;
      const call = readGemmaCall(body);
      if ("problem" in call) out.malformed(call.name, call.problem, text);
      else out.call(call);
    }
  },
});
