import { composeToolParser, Prose, readJson, TagSet, type ToolParser } from "verl-ts/plugin";

const OPEN = "<call>";
const CLOSE = "</call>";
/** What ends a name. */
const AFTER_NAME = new TagSet(["{", CLOSE]);
const CLOSES = new TagSet([CLOSE]);

/**
 * Reads `<call>name {"argument": 1}</call>`. Text comes in pieces: `yield*` waits for more where that could change the answer, so
 * the turn is the same however it was cut.
 */
export const toolParser: ToolParser = composeToolParser({
  name: "__SHORT__",
  *parse(input, out, { startsInThought }) {
    const prose = new Prose(input, out, { opens: [OPEN], startsInThought });
    while ((yield* prose.next()) !== null) {
      input.skip(OPEN);
      let text = "";
      const next = yield* input.until(AFTER_NAME, (piece) => {
        text += piece;
      });
      const name = text.trim() === "" ? null : text.trim();
      if (next !== "{") {
        if (next !== null) input.skip(next);
        out.malformed(name, next === null ? "does not end" : "has no arguments", text);
        continue;
      }
      const { text: json, stop, problem } = yield* readJson(input, CLOSES);
      if (stop !== null) input.skip(stop);
      if (stop === null) out.malformed(name, "does not end", json);
      else if (problem !== null) out.malformed(name, `is not JSON: ${problem}`, json);
      else if (name === null) out.malformed(null, "has no name", json);
      // The text as it came: numbers keep every digit.
      else out.call({ name, arguments: json.trim() });
    }
  },
});
