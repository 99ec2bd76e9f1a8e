import { parseToolCalls } from "../../../../core/agent/index.js";
import { parserNamed, tool } from "./support.js";

const LENGTH = 150_000;
const tools = [tool("f", { a: { type: "array" } })];

/**
 * Texts of which a parser that reads anything again and again would not see the end within the time that a test has.
 * Format, beginning, what repeats, end.
 */
const HOSTILE: readonly (readonly [format: string, head: string, unit: string, tail?: string])[] = [
  ["hermes", "", "<"],
  ["hermes", "", "<tool_call>"],
  ["hermes", "", "<tool_call></tool_call>"],
  ["hermes", '<tool_call>{"name":"', "</tool_call>"],
  ["hermes", '<tool_call>{"name":"a","arguments":', "["],
  ["hermes", "", "<think></think>"],
  ["hermes_verl", "", '<tool_call>{"a</tool_call>'],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a>5</parameter>"],
  ["qwen3_coder", "<tool_call><function=f><parameter=a>", "</parameter>x"],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a>{x"],
  ["qwen3_coder", "<tool_call><function=f>", '<parameter=a>["</parameter><parameter=a>[",'],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a><function=x></parameter>"],
  ["qwen3_coder", "<tool_call><function=f>", "<parameter=a><function=x></parameter>", "</function>".repeat(9000)],
  ["qwen3_coder", "<tool_call><function=f><parameter=a>", "["],
  ["qwen3_coder", "<tool_call><function=f><parameter=a>", "(1,"],
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

describe("agent/tool-parsers: long texts", () => {
  for (const [format, head, unit, tail = ""] of HOSTILE) {
    it(`${format} reads ${head}${unit}${unit}… once`, () => {
      parseToolCalls(parserNamed(format), head + unit.repeat(LENGTH / unit.length) + tail, { tools });
    });
  }

  it("in single characters, too", () => {
    for (const [format, head, unit, tail = ""] of [HOSTILE[0], HOSTILE[4], HOSTILE[11], HOSTILE[12]]) {
      const stream = parserNamed(format).create({ tools });
      for (const character of head + unit.repeat(LENGTH / 2 / unit.length) + tail) stream.push(character);
      stream.end();
    }
  });
});
