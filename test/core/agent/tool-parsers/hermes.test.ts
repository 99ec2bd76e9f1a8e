import { expect } from "chai";
import { parseToolCalls } from "../../../../core/agent/index.js";
import { parserNamed, prose, turnOf } from "./support.js";

const parse = (text: string) => turnOf("hermes", text);

describe("agent/tool-parsers: hermes", () => {
  it("reads a call after text", () => {
    expect(
      parse('I will look.<tool_call>\n{"name": "add", "arguments": {"x": 2, "y": 3}}\n</tool_call>'),
    ).to.deep.equal({
      ...prose("I will look."),
      calls: ['add {"x": 2, "y": 3}'],
    });
  });

  it("keeps the text before, between and after blocks", () => {
    const text =
      '<tool_call>{"name":"a","arguments":{}}</tool_call> mid <tool_call>{"name":"b","arguments":{"q":"é"}}</tool_call> tail';
    expect(parse(text)).to.deep.equal({ ...prose(" mid  tail"), calls: ["a {}", 'b {"q":"é"}'] });
  });

  it("gives the arguments as they stand in the text", () => {
    const args = '{ "n" : 12345678901234567890123, "f": 1.0, "e": 1E5, "z": -0.0, "u": "\\u00e9\\/" }';
    expect(parse(`<tool_call>{"name": "a", "arguments" :  ${args} }</tool_call>`).calls).to.deep.equal([`a ${args}`]);
  });

  it("leaves an unclosed call in the content", () => {
    for (const text of [
      'x <tool_call>{"name":"a","arguments":{}',
      "x <tool_call>",
      "x <tool_c",
      "done </tool_call> bye",
    ]) {
      expect(parse(text)).to.deep.equal(prose(text));
    }
  });

  it("takes a malformed block out and goes on", () => {
    const text = '<tool_call>{bad}</tool_call>ok<tool_call>{"name":"b","arguments":{}}</tool_call>';
    expect(parse(text)).to.deep.equal({ content: "ok", reasoning: null, calls: ["b {}"], errors: ["0 null"] });
  });

  it("counts malformed calls among the others", () => {
    const good = '<tool_call>{"name":"g","arguments":{}}</tool_call>';
    expect(parse(`${good}<tool_call>[]</tool_call>${good}<tool_call></tool_call>`).errors).to.deep.equal([
      "1 null",
      "3 null",
    ]);
  });

  for (const [body, name] of [
    ['{"name":"lonely"}', "lonely"],
    ['{"name": "bash", "arguments": {"cmd": "ls" "x"}}', "bash"],
    ['{"arguments": {"cmd": "ls" "x"}, "name": "bash"}', "bash"],
    ['{"name": "bash", "arguments": {"cmd": "a\nb"}}', "bash"],
    ['{"name": "bash", "arguments": {"n": 007}}', "bash"],
    ['{"name": "bash", "arguments": {"n": NaN}}', "bash"],
    ['{"name": "bash", "arguments": {}} and so on', "bash"],
    ['{"name": 5, "arguments": {}}', null],
    ['[{"name":"a","arguments":{}}]', null],
    ["{'name':'a','arguments':{}}", null],
    ["text", null],
    ["", null],
  ] as const) {
    it(`says of ${JSON.stringify(body)} which call is malformed`, () => {
      const { calls, content, errors } = parseToolCalls(parserNamed("hermes"), `<tool_call>${body}</tool_call>.`);
      expect([calls, content]).to.deep.equal([[], "."]);
      expect(errors).to.have.length(1);
      expect(errors[0].name).to.equal(name);
      if (name) expect(errors[0].message).to.contain(`"${name}"`);
      expect(errors[0].text).to.equal(`<tool_call>${body}</tool_call>`);
    });
  }

  it("says where JSON stops being JSON", () => {
    const [error] = parseToolCalls(parserNamed("hermes"), '<tool_call>{"name": "a" 1}</tool_call>').errors;
    expect(error.message).to.equal(`The call of "a" is not JSON: ',' or '}' was expected at character 14, not "1".`);
  });

  it("lets the last of repeated members count", () => {
    expect(parse('<tool_call>{"name":"a","arguments":{},"name":"b","arguments":[]}</tool_call>').calls).to.deep.equal([
      "b []",
    ]);
  });

  it("takes any JSON value as arguments", () => {
    for (const args of ['"{\\"k\\":1}"', "null", "[1]", "-0", "true"]) {
      expect(parse(`<tool_call>{"name":"d","arguments":${args}}</tool_call>`).calls).to.deep.equal([`d ${args}`]);
    }
  });

  it("reads tags, brackets and escaped quotes inside a string as part of it", () => {
    const args = '{"s":"</tool_call> <tool_call>{\\"name\\"} \\\\","t":"<think>]}"}';
    expect(parse(`<tool_call>{"name":"a","arguments":${args}}</tool_call>`)).to.deep.equal({
      ...prose(""),
      calls: [`a ${args}`],
    });
  });

  it("takes the first closing tag after the place where the text is not JSON any more", () => {
    const text = '<tool_call>{"name":"a","arguments":{"s":"</tool_call>" 1}}</tool_call>x';
    expect(parse(text)).to.deep.equal({ ...prose("x"), errors: ["0 a"] });
  });

  describe("a string without its end", () => {
    const cut = '<tool_call>{"name":"a","arguments":{"x":"abc}}</tool_call>';
    const good = '<tool_call>{"name":"b","arguments":{}}</tool_call>';

    it("does not hide the next call", () => {
      expect(parse(`${cut}ok${cut}.${good}`)).to.deep.equal({
        ...prose("ok."),
        calls: ["b {}"],
        errors: ["0 a", "1 a"],
      });
    });

    it("is malformed, not cut off, if the text ends with the closing tag", () => {
      for (const end of ["", "\n", "<|im_end|>", "\n<|im_end|>\n"]) {
        expect(parse(`${cut}${end}`), end).to.deep.equal({ ...prose(end), errors: ["0 a"] });
      }
    });

    it("is cut off if the text goes on", () => {
      const text = '<tool_call>{"name":"a","arguments":{"x":"echo </tool_call> te';
      expect(parse(text)).to.deep.equal(prose(text));
    });
  });

  it("accepts any white space around the JSON", () => {
    expect(parse('<tool_call>\r\n\t {"name":"a","arguments":{}} \r\n</tool_call>\r\n')).to.deep.equal({
      ...prose("\r\n"),
      calls: ["a {}"],
    });
  });

  describe("thoughts", () => {
    const call = '<tool_call>{"name":"A","arguments":{}}</tool_call>';

    it("are returned apart, and hold no calls", () => {
      expect(parse(`<think>sketch ${call}</think>go${call}`)).to.deep.equal({
        ...prose("go"),
        reasoning: `sketch ${call}`,
        calls: ["A {}"],
      });
    });

    it("last to the end of the text if they are not closed", () => {
      expect(parse(`a<think>${call}`)).to.deep.equal({ ...prose("a"), reasoning: call });
    });

    it("may be empty, several, and anywhere", () => {
      expect(parse("<think></think>a").reasoning).to.equal("");
      expect(parse(`<think>1</think>a${call}<think>2${call}</think>b`)).to.deep.equal({
        ...prose("ab"),
        reasoning: `12${call}`,
        calls: ["A {}"],
      });
    });

    it("do not nest", () => {
      expect(parse("<think>a<think>b</think>c</think>d")).to.deep.equal({
        ...prose("c</think>d"),
        reasoning: "a<think>b",
      });
    });

    it("do not exist without an opening mark, unless the prompt held it", () => {
      expect(parse(`plan</think>${call}`)).to.deep.equal({ ...prose("plan</think>"), calls: ["A {}"] });
      expect(turnOf("hermes", `plan${call}</think>go`, { startsInThought: true })).to.deep.equal({
        ...prose("go"),
        reasoning: `plan${call}`,
      });
    });
  });
});
