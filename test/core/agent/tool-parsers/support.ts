import { expect } from "chai";
import {
  builtinToolParsers,
  parseToolCalls,
  type ToolParser,
  type ToolParserEvent,
  type ToolParserOptions,
} from "../../../../core/agent/index.js";
import type { JsonValue } from "../../../../core/plugin.js";

export function parserNamed(name: string): ToolParser {
  const parser = builtinToolParsers.find((candidate) => candidate.name === name);
  if (!parser) throw new Error(`no parser ${name}`);
  return parser;
}

/** A turn in short: calls as `name arguments` or `name arguments #id`, errors as `index name`. */
export interface Turn {
  readonly content: string;
  readonly reasoning: string | null;
  readonly calls: readonly string[];
  readonly errors: readonly string[];
}

/** Parses at once and in pieces of 1, 2, 3 and 7 units, which must agree. */
export function turnOf(format: string, text: string, options: ToolParserOptions = {}): Turn {
  const parser = parserNamed(format);
  const events = eventsOf(parser, [text], options);
  for (const length of [1, 2, 3, 7]) {
    const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, i) =>
      text.slice(i * length, (i + 1) * length),
    );
    expect(eventsOf(parser, pieces, options), `${text} in pieces of ${length}`).to.deep.equal(events);
  }
  const { content, reasoning, calls, errors } = parseToolCalls(parser, text, options);
  return {
    content,
    reasoning,
    calls: calls.map(({ name, arguments: args, id }) => `${name} ${args}${id === undefined ? "" : ` #${id}`}`),
    errors: errors.map(({ index, name }) => `${index} ${name}`),
  };
}

/** All events of a stream, neighbouring texts of one type joined. */
export function eventsOf(
  parser: ToolParser,
  pieces: readonly string[],
  options: ToolParserOptions = {},
): ToolParserEvent[] {
  const stream = parser.create(options);
  const joined: ToolParserEvent[] = [];
  for (const event of [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()]) {
    const last = joined.at(-1);
    if ("text" in event && last !== undefined && "text" in last && last.type === event.type) {
      joined[joined.length - 1] = { type: event.type, text: last.text + event.text };
    } else joined.push(event);
  }
  return joined;
}

/** An OpenAI function tool. */
export function tool(name: string, properties: { [key: string]: JsonValue } = {}, required: string[] = []): JsonValue {
  return {
    type: "function",
    function: { name, description: name, parameters: { type: "object", properties, required } },
  };
}

/** What a turn without calls gives: its text. */
export function prose(content: string): Turn {
  return { content, reasoning: null, calls: [], errors: [] };
}
