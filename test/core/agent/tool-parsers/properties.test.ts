import { expect } from "chai";
import fc from "fast-check";
import { builtinToolParsers, joinEvents, parseToolCalls } from "../../../../core/agent/index.js";
import type { JsonValue } from "../../../../core/plugin.js";
import { SAMPLES } from "./samples.js";
import { eventsOf, parserNamed, tool } from "./support.js";

const OPTIONS = {
  tools: [
    tool("f", { a: { type: "string" }, b: { type: "array" }, c: { type: "number" }, d: { type: "object" } }, ["a"]),
  ],
  padToken: "<pad>",
  eosToken: "<eos>",
};

/** Pieces of the samples between their marks: put together at random they give texts that are almost well-formed. */
function fragments(format: string): string[] {
  const parts = SAMPLES[format].flatMap((text) => text.split(/(?=<)|(?<=>)|(?<=\|>)|(?=[{"[:])/));
  return [
    ...new Set([...parts, "<think>", "</think>", "<", '"', "\\", "{", "}", " ", "\n\n", "\ud83d", "\ude00", "text"]),
  ];
}

/** Cuts a text at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, i) => text.slice(ends[i - 1] ?? 0, end));
}

describe("agent/tool-parsers: properties", () => {
  for (const parser of builtinToolParsers) {
    it(`${parser.name}: any text gives the same events however it is cut`, () => {
      const text = fc
        .array(
          fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fragments(parser.name)) }, fc.string({ maxLength: 4 })),
          {
            maxLength: 40,
          },
        )
        .map((parts) => parts.join(""));
      fc.assert(
        fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, places) => {
          const events = eventsOf(parser, [whole], OPTIONS);
          expect(eventsOf(parser, cut(whole, places), OPTIONS)).to.deep.equal(events);
          expect(eventsOf(parser, whole.split(""), OPTIONS)).to.deep.equal(events);
          expect(joinEvents(events)).to.deep.equal(parseToolCalls(parser, whole, OPTIONS));
        }),
        { numRuns: 150 },
      );
    });
  }

  /** Writes calls as a model would, with arguments given as JSON. */
  const WRITERS: Readonly<Record<string, (name: string, args: Readonly<Record<string, JsonValue>>) => string>> = {
    hermes: (name, args) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`,
    "gpt-oss": (name, args) =>
      `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
    kimi: (name, args) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|><|tool_calls_section_end|>`,
    glm: (name, args) =>
      `<tool_call>${name}\n${each(args, (key, json) => `<arg_key>${key}</arg_key>\n<arg_value>${json}</arg_value>\n`)}</tool_call>`,
    seed: (name, args) =>
      `<seed:tool_call>\n<function=${name}>\n${each(args, (key, json) => `<parameter=${key}>${json}</parameter>\n`)}</function>\n</seed:tool_call>`,
    minimax: (name, args) =>
      `<minimax:tool_call>\n<invoke name="${name}">\n${each(args, (key, json) => `<parameter name="${key}">${json}</parameter>\n`)}</invoke>\n</minimax:tool_call>`,
    qwen3_coder: (name, args) =>
      `<tool_call>\n<function=${name}>\n${each(args, (key, json) => `<parameter=${key}>\n${json}\n</parameter>\n`)}</function>\n</tool_call>`,
    deepseek_v4: (name, args) =>
      `<｜DSML｜tool_calls>\n<｜DSML｜invoke name="${name}">\n${each(
        args,
        (key, json) => `<｜DSML｜parameter name="${key}" string="false">${json}</｜DSML｜parameter>\n`,
      )}</｜DSML｜invoke>\n</｜DSML｜tool_calls>`,
    gemma4: (name, args) => `<|tool_call>call:${name}${gemma(args)}<tool_call|>`,
  };

  for (const [format, write] of Object.entries(WRITERS)) {
    it(`${format}: what is written comes back, the format's own tags in texts included`, () => {
      const inside = fc.constantFrom(...fragments(format).filter((part) => format !== "gemma4" || !part.includes('"')));
      const string = fc
        .array(fc.oneof(inside, fc.string({ unit: "grapheme", maxLength: 5 })), { maxLength: 4 })
        .map((parts) => parts.join(""));
      const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
        value: fc.oneof(
          { maxDepth: 2 },
          string,
          fc.integer(),
          fc.boolean(),
          fc.constant(null),
          fc.array(tie("value"), { maxLength: 3 }),
          fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie("value"), { maxKeys: 3, noNullPrototype: true }),
        ),
      }));
      const call = fc.record({
        name: fc.stringMatching(/^[a-z][a-z_]{0,8}$/),
        args: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), value, { maxKeys: 3, noNullPrototype: true }),
      });
      const tools = (calls: readonly { readonly name: string; readonly args: object }[]) =>
        calls.map(({ name, args }) =>
          tool(name, Object.fromEntries(Object.keys(args).map((key) => [key, { type: "array" }]))),
        );
      fc.assert(
        fc.property(fc.uniqueArray(call, { selector: ({ name }) => name, maxLength: 3 }), (calls) => {
          const text = `So: ${calls.map(({ name, args }) => write(name, args)).join("\n")}`;
          const turn = parseToolCalls(parserNamed(format), text, { tools: tools(calls) });
          expect(turn.calls.map((c) => ({ name: c.name, args: JSON.parse(c.arguments) }))).to.deep.equal(calls);
          expect(turn.errors).to.deep.equal([]);
          expect(turn.content).to.match(/^So: \s*$/);
        }),
        { numRuns: 100 },
      );
    });
  }
});

function each(args: Readonly<Record<string, JsonValue>>, write: (key: string, json: string) => string): string {
  return Object.entries(args)
    .map(([key, value]) => write(key, JSON.stringify(value)))
    .join("");
}

function gemma(value: JsonValue): string {
  if (typeof value === "string") return `<|"|>${value}<|"|>`;
  if (Array.isArray(value)) return `[${value.map(gemma).join(",")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}:${gemma(item)}`)
    .join(",")}}`;
}
