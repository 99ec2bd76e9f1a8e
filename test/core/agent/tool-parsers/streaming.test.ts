import { expect } from "chai";
import type { ToolParserEvent, ToolParserOptions } from "../../../../core/agent/index.js";
import { parserNamed } from "./support.js";

/** What each piece gives, as `content:…`, `reasoning:…`, `call:name`, `malformed:name`; the last entry is the end's. */
function arriving(format: string, pieces: readonly string[], options?: ToolParserOptions): string[][] {
  const stream = parserNamed(format).create(options);
  const inShort = (event: ToolParserEvent) =>
    event.type === "call"
      ? `call:${event.call.name}`
      : event.type === "malformed"
        ? `malformed:${event.error.name}`
        : `${event.type}:${event.text}`;
  return [...pieces.map((piece) => stream.push(piece)), stream.end()].map((events) => events.map(inShort));
}

describe("agent/tool-parsers: streaming", () => {
  it("hands out text at once, and holds back only what may be the beginning of a tag", () => {
    expect(arriving("hermes", ["a <", "b <tool", "_c <", "<think>x</th", "y</think>", "z <tool_"])).to.deep.equal([
      ["content:a "],
      ["content:<b "],
      ["content:<tool_c "],
      ["content:<", "reasoning:x"],
      ["reasoning:</thy"],
      ["content:z "],
      ["content:<tool_"],
    ]);
  });

  it("hands out a call with its closing tag", () => {
    expect(arriving("hermes", ['<tool_call>{"name":"a","arguments":{}}', "</tool_call", ">"])).to.deep.equal([
      [],
      [],
      ["call:a"],
      [],
    ]);
  });

  it("reports a malformed call with its closing tag", () => {
    expect(arriving("hermes", ["<tool_call>{x", "</tool_call>"])).to.deep.equal([[], ["malformed:null"], []]);
  });

  it("gives the text of a call that is cut off at the end", () => {
    expect(arriving("hermes", ["a<tool_call>{", '"name"'])).to.deep.equal([
      ["content:a"],
      [],
      ['content:<tool_call>{"name"'],
    ]);
  });

  it("keeps the halves of a character together", () => {
    const halves = ["a\ud83d", "\ude00b"];
    expect(arriving("hermes", halves)).to.deep.equal([["content:a"], ["content:\u{1f600}b"], []]);
    expect(arriving("hermes", ["a\ud83d"])).to.deep.equal([["content:a"], ["content:\ud83d"]]);
  });

  it("streams thoughts", () => {
    expect(arriving("hermes", ["<think>", "a", "b</think>c"])).to.deep.equal([
      ["reasoning:"],
      ["reasoning:a"],
      ["reasoning:b", "content:c"],
      [],
    ]);
    expect(arriving("deepseek_v4", ["<think>", "a", "b</think>"])[1]).to.deep.equal(["reasoning:a"]);
    expect(arriving("gpt-oss", ["<|channel|>analysis<|message|>", "a", "b<|end|>"])[1]).to.deep.equal(["reasoning:a"]);
    expect(arriving("glm", ["a", "b</think>c"], { startsInThought: true })).to.deep.equal([
      ["reasoning:a"],
      ["reasoning:b", "content:c"],
      [],
    ]);
  });

  it("gives calls of qwen3_coder one by one", () => {
    const pieces = ["<tool_call><function=a></function>", "<function=b></function>", "<function=c>"];
    expect(arriving("qwen3_coder", pieces)).to.deep.equal([["call:a"], ["call:b"], [], ["call:c"]]);
  });

  it("gives calls of kimi one by one", () => {
    const call = (id: string) => `<|tool_call_begin|>${id}<|tool_call_argument_begin|>{}<|tool_call_end|>`;
    expect(arriving("kimi", [`a<|tool_calls_section_begin|>${call("b")}`, call("c")])).to.deep.equal([
      ["content:a", "call:b"],
      ["call:c"],
      [],
    ]);
  });

  it("holds the content of deepseek_v4 until it cannot be thought any more", () => {
    const block = '<｜DSML｜tool_calls><｜DSML｜invoke name="f"></｜DSML｜invoke></｜DSML｜tool_calls>';
    expect(arriving("deepseek_v4", ["a", "</think>", "b\n\n", block])).to.deep.equal([
      [],
      ["reasoning:a"],
      [],
      ["content:b", "call:f"],
      [],
    ]);
    expect(arriving("deepseek_v4", ["b", block, "c"])).to.deep.equal([[], [], [], ["content:b", "call:f"]]);
    expect(arriving("deepseek_v4", ["b", block], { startsInThought: false })[1]).to.deep.equal(["content:b", "call:f"]);
  });

  it("gives messages of gpt-oss as they come", () => {
    expect(arriving("gpt-oss", ["<|channel|>fin", "al<|message|>4", "2<|ret", "urn|>"])).to.deep.equal([
      [],
      ["content:4"],
      ["content:2"],
      [],
      [],
    ]);
  });
});
