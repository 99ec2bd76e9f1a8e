import assert from "node:assert/strict";
import { builtinToolParsers } from "../../../core/agent/index.js";
import { SAMPLES } from "../../core/agent/tool-parsers/samples.js";
import { eventsOf, tool } from "../../core/agent/tool-parsers/support.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";

const OPTIONS = {
  tools: [tool("f", { a: { type: "array" }, b: { type: "number" } }, ["a"])],
  padToken: "<pad>",
  eosToken: "<eos>",
};

/** Texts in which a parser that reads anything again and again does not come to an end: beginning, what repeats, end. */
const ENDLESS: readonly (readonly [format: string, head: string, unit: string, tail?: string])[] = [
  ["hermes", "", "<"],
  ["hermes", "", "<tool_call>"],
  ["hermes", "", "<tool_call></tool_call>"],
  ["hermes", '<tool_call>{"name":"', "</tool_call>"],
  ["hermes", '<tool_call>{"name":"a","arguments":', "["],
  ["hermes", "", '<tool_call>{"a</tool_call>'],
  ["hermes", "", '<tool_call>{"a</tool_call>\n'],
  ["hermes", "", "<think></think>"],
  ["hermes_verl", "", '<tool_call>{"a</tool_call>'],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a>5</parameter>"],
  ["qwen3_coder", "<tool_call><function=f><parameter=a>", "</parameter>x"],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a>{x"],
  ["qwen3_coder", "<tool_call><function=f>", '<parameter=a>["</parameter><parameter=a>[",'],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a><function=x></parameter>"],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a><function=x></parameter>", "</function>".repeat(5000)],
  ["qwen3_coder", "<tool_call><function=f><parameter=a>", "["],
  ["qwen3_coder", "<tool_call><function=f><parameter=a>", "(1,"],
  ["qwen3_coder", "<tool_call><function=f><parameter=b>", "9"],
  ["gpt-oss", "", "<|channel|>"],
  ["gpt-oss", "", "<|channel|>commentary to=functions.a<|message|>{"],
  ["glm", "<tool_call>f", "<arg_key>a</arg_key><arg_value>x</tool_call><tool_call>f"],
  ["glm", "", '<tool_call>f<arg_key>k</arg_key><arg_value>"x</tool_call>'],
  ["glm", "</think>", "a<tool_call>"],
  ["seed", "", "<seed:tool_call><function=f>"],
  ["minimax", '<minimax:tool_call><invoke name="f', 'a"'],
  ["kimi", "<|tool_calls_section_begin|>", "<|tool_call_begin|>"],
  ["deepseek_v4", "", "a</think>"],
  ["deepseek_v4", "", "<｜DSML｜tool_calls></｜DSML｜tool_calls>"],
  ["gemma4", "<|tool_call>call:f{a:", "[", "<tool_call|>"],
  ["gemma4", "<|tool_call>call:f{", "a:1,", "}<tool_call|>"],
];

/** Tool parsers: the first line names the format, the rest is what a model wrote. Single units must give what the whole gives. */
export const toolParsers: FuzzReader = {
  name: "tool-parsers",
  seeds: () => Object.entries(SAMPLES).flatMap(([format, texts]) => texts.map((text) => `${format}\n${text}`)),
  words: [
    ...Object.values(SAMPLES).flatMap((texts) => texts.flatMap((text) => text.match(/<[^<>\s]{2,40}>?/g) ?? [])),
    ...['{"a": "', '"', "\\", "[", "]", "{", "}", ",", ":", "=", ">", "<", "\n\n", "null", "1e400", "'", "(", ")"],
  ],
  hostile: Object.fromEntries(
    ENDLESS.map(([format, head, unit, tail = ""]) => [
      `${format} ${head}${unit}…${tail.slice(0, 20)}`,
      () => `${format}\n${head}${unit.repeat(60_000 / unit.length)}${tail}`,
    ]),
  ),
  read(input) {
    const [format, ...lines] = textOf(input).split("\n");
    const text = lines.join("\n");
    const parser =
      builtinToolParsers.find(({ name }) => name === format) ??
      builtinToolParsers[text.length % builtinToolParsers.length];
    const events = eventsOf(parser, [text], OPTIONS);
    assert.deepEqual(eventsOf(parser, text.split(""), OPTIONS), events);
    return events;
  },
};
