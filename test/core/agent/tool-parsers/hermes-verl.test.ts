import { expect } from "chai";
import { prose, turnOf } from "./support.js";

const parse = (text: string) => turnOf("hermes_verl", text);

describe("agent/tool-parsers: hermes_verl", () => {
  it("counts calls inside think blocks", () => {
    const call = '<tool_call>{"name":"A","arguments":{}}</tool_call>';
    expect(parse(`<think>let me call A ${call} ok</think>${call}`)).to.deep.equal({
      ...prose("<think>let me call A  ok</think>"),
      calls: ["A {}", "A {}"],
    });
  });

  it("ends a block at the first closing tag", () => {
    expect(parse('<tool_call>{"name":"bash","arguments":{"cmd":"echo </tool_call> test"}}</tool_call>')).to.deep.equal({
      ...prose(' test"}}</tool_call>'),
      errors: ["0 null"],
    });
  });

  it("writes arguments as Python does", () => {
    expect(parse('<tool_call>{"name":"a","arguments":{"x":1e5,"é":[1,NaN]}}</tool_call>').calls).to.deep.equal([
      'a {"x": 100000.0, "é": [1, NaN]}',
    ]);
  });

  it("leaves an unclosed block in the content and takes malformed ones out", () => {
    expect(parse('a<tool_call>{}</tool_call>b<tool_call>{"name":"x"')).to.deep.equal({
      ...prose('ab<tool_call>{"name":"x"'),
      errors: ["0 null"],
    });
  });
});
