import { expect } from "chai";
import { prose, turnOf } from "./support.js";

const parse = (text: string) => turnOf("glm", text);
const pair = (key: string, value: string) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`;
const call = (name: string, pairs = "") => `<tool_call>${name}\n${pairs}</tool_call>`;

describe("agent/tool-parsers: glm", () => {
  it("reads a call after a thought and text", () => {
    expect(
      parse(`<think>hmm</think>Checking.${call("get", pair("city", "Bergen") + pair("days", "2"))}`),
    ).to.deep.equal({
      ...prose("Checking."),
      reasoning: "hmm",
      calls: ['get {"city": "Bergen", "days": 2}'],
    });
  });

  it("reads several calls, and drops the text after the first", () => {
    expect(parse(`<tool_call>ping</tool_call>, ${call("get", pair("ids", "[1,2]"))} after`)).to.deep.equal({
      ...prose(""),
      calls: ["ping {}", 'get {"ids": [1,2]}'],
    });
  });

  for (const [value, json] of [
    ["  São Paulo \n", '"São Paulo"'],
    ['{"a": {"b": [null, "x\\"y"]}}', '{"a": {"b": [null, "x\\"y"]}}'],
    ["x = 1\nif x:\n    y()", '"x = 1\\nif x:\\n    y()"'],
    ["12345678901234567890123", "12345678901234567890123"],
    ['"quoted"', '"quoted"'],
    ['"quoted" and more', '"\\"quoted\\" and more"'],
    ["1e3", "1e3"],
    ["00123", '"00123"'],
    ["True", '"True"'],
    ["NaN", '"NaN"'],
    ["null", "null"],
    ["", '""'],
    ['"</arg_value></tool_call>"', '"</arg_value></tool_call>"'],
    ['{"a": "</arg_value><arg_key>"}', '{"a": "</arg_value><arg_key>"}'],
    ["echo </tool_call> here", '"echo </tool_call> here"'],
    ["a </arg_value> b", '"a </arg_value> b"'],
    ["<tool_call>x</tool_call>", '"<tool_call>x</tool_call>"'],
    ['"only one quote', '"\\"only one quote"'],
    ["[1, 2", '"[1, 2"'],
  ]) {
    it(`takes the value ${JSON.stringify(value)} as ${json}`, () => {
      expect(parse(call("f", pair("a", value) + pair("b", "1"))).calls).to.deep.equal([`f {"a": ${json}, "b": 1}`]);
    });
  }

  it("ignores a pair without its closing tag", () => {
    expect(parse("<tool_call>get<arg_key>a</arg_key><arg_value>5</tool_call>").calls).to.deep.equal(["get {}"]);
    expect(
      parse(`<tool_call>get<arg_key>a</arg_key><arg_value>5</tool_call>${call("f", pair("b", "6"))}`).calls,
    ).to.deep.equal(["get {}", 'f {"b": 6}']);
    expect(parse(`<tool_call>f<arg_key>a</arg_key>${pair("b", "6")}<arg_key>c</tool_call>`).calls).to.deep.equal([
      'f {"b": 6}',
    ]);
  });

  it("lets the last of repeated keys count", () => {
    expect(parse(call("f", pair("a", "1") + pair("b", "2") + pair("a", "3"))).calls).to.deep.equal([
      'f {"a": 3, "b": 2}',
    ]);
  });

  it("leaves the text as it is if a call is not closed", () => {
    for (const text of [
      "No tools.",
      "Wait <tool_call>get\n<arg_key>city</arg_key>",
      "a <tool_call>b<arg_key>k</arg_key><arg_value>v",
    ]) {
      expect(parse(text)).to.deep.equal(prose(text));
    }
  });

  it("drops a closing mark of a thought at the beginning if there is a call", () => {
    expect(parse(`</think>Sure.\n${call("f")}`)).to.deep.equal({ ...prose("Sure.\n"), calls: ["f {}"] });
    expect(parse("</think>Sure.")).to.deep.equal(prose("</think>Sure."));
    expect(parse(`</think>a<tool_call>b`)).to.deep.equal(prose("</think>a<tool_call>b"));
    expect(parse(`text</think>\nok${call("p")}`)).to.deep.equal({ ...prose("text</think>\nok"), calls: ["p {}"] });
  });

  it("reports a call without a name", () => {
    expect(parse(`a${call("")}b${call("two words")}`)).to.deep.equal({ ...prose("a"), errors: ["0 null", "1 null"] });
  });

  it("reads no call inside a thought", () => {
    expect(parse(`<think>${call("f")}</think>${call("g")}`)).to.deep.equal({
      ...prose(""),
      reasoning: call("f"),
      calls: ["g {}"],
    });
  });
});
