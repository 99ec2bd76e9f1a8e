import assert from "node:assert/strict";
import {
  isVerlError,
  joinEvents,
  parseToolCalls,
  type ToolParser,
  type ToolParserEvent,
  type ToolParserOptions,
} from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface ToolParserUnderTest {
  readonly parser: ToolParser;
  /** Turns of the format: with calls, several and none, thoughts, tags inside values, whatever else it knows. */
  readonly texts: readonly string[];
  readonly options?: ToolParserOptions;
}

/** Long enough that time which grows with the square of the length meets the limit of a test framework. */
const LONG = 50_000;

/** What every tool parser must do. Run it with `runConformance`. */
export function toolParserConformance({ parser, texts, options }: ToolParserUnderTest): ConformanceCase[] {
  const inPieces = (text: string, length: number) => {
    const stream = parser.create(options);
    const events: ToolParserEvent[] = [];
    for (let i = 0; i < text.length; i += length) events.push(...stream.push(text.slice(i, i + length)));
    return joinEvents([...events, ...stream.end()]);
  };
  const cutOff = texts.flatMap((text) => Array.from({ length: text.length }, (_, at) => text.slice(0, at)));

  return [
    {
      name: "gives the same turn however the text is cut, so that nothing is taken back",
      async run() {
        const same = (text: string, length: number) => {
          const whole = parseToolCalls(parser, text, options);
          assert.deepEqual(inPieces(text, length), whole, `${JSON.stringify(text)} in pieces of ${length}`);
        };
        for (const text of texts) for (const length of [1, 2, 3, 7]) same(text, length);
        for (const text of cutOff) same(text, 1);
      },
    },
    {
      name: "gives calls whose name and arguments are texts, and counts malformed ones among them",
      async run() {
        for (const text of [...texts, ...cutOff]) {
          const { calls, errors } = parseToolCalls(parser, text, options);
          for (const call of calls) assert.deepEqual([typeof call.name, typeof call.arguments], ["string", "string"]);
          const places = errors.map(({ index }) => index);
          assert.deepEqual(
            places,
            [...new Set(places)].sort((a, b) => a - b),
            "indices ascend",
          );
          assert.ok(places.every((index) => index >= 0 && index < calls.length + errors.length));
        }
      },
    },
    {
      name: "hands out text that can be no call at once",
      async run() {
        const stream = parser.create({ ...options, startsInThought: false });
        const events = [...stream.push("Half of it, "), ...stream.push("and the rest.")];
        const { content } = joinEvents([...events, ...stream.end()]);
        assert.equal(content, "Half of it, and the rest.");
      },
    },
    {
      name: "keeps streams apart",
      async run() {
        const streams = texts.map((text) => ({
          text,
          stream: parser.create(options),
          events: [] as ToolParserEvent[],
        }));
        const longest = Math.max(...texts.map((text) => text.length));
        for (let at = 0; at < longest; at += 5) {
          for (const { text, stream, events } of streams) events.push(...stream.push(text.slice(at, at + 5)));
        }
        for (const { text, stream, events } of streams) {
          assert.deepEqual(joinEvents([...events, ...stream.end()]), parseToolCalls(parser, text, options));
        }
      },
    },
    {
      name: "ends once",
      async run() {
        const stream = parser.create(options);
        stream.push(texts[0] ?? "");
        stream.end();
        assert.deepEqual(stream.end(), []);
        assert.throws(
          () => stream.push("more"),
          (error) => isVerlError(error) && error.code === "VERL_AGENT_PARSER_ENDED",
        );
      },
    },
    {
      name: "takes time linear in the text",
      async run() {
        const text = texts.join("");
        for (const part of [text, text.slice(0, text.length / 3)]) {
          if (part !== "") inPieces(part.repeat(Math.ceil(LONG / part.length)), 1);
        }
      },
    },
  ];
}
