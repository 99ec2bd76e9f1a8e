import { expect } from "chai";
import { prose, turnOf } from "./support.js";

const parse = (text: string) => turnOf("seed", text);
const block = (body: string) => `<seed:tool_call>\n${body}\n</seed:tool_call>`;
const fn = (name: string, body = "") => `<function=${name}>\n${body}</function>`;
const parameter = (key: string, value: string) => `<parameter=${key}>${value}</parameter>\n`;

describe("agent/tool-parsers: seed", () => {
  it("reads a call after text", () => {
    const text = `Let me see.${block(fn("search", parameter("query", "blue fjords") + parameter("limit", "5")))} after`;
    expect(parse(text)).to.deep.equal({
      ...prose("Let me see."),
      calls: ['search {"query": "blue fjords", "limit": 5}'],
    });
  });

  it("reads one function a block, and several blocks", () => {
    expect(parse(block(fn("a") + fn("b"))).calls).to.deep.equal(["a {}"]);
    expect(
      parse(`${block(fn("a"))} and ${block(fn("b", parameter("n", "-12345678901234567890123")))}`).calls,
    ).to.deep.equal(["a {}", 'b {"n": -12345678901234567890123}']);
  });

  it("leaves a block in the content that is not closed", () => {
    for (const end of ["", "</seed:tool", "<parameter=a>1"]) {
      const text = `t <seed:tool_call>\n${fn("store", parameter("key", "v"))}${end}`;
      expect(parse(text)).to.deep.equal(prose(text));
    }
  });

  it("reports a block that names no function, and a function without its closing tag", () => {
    expect(parse(`a${block("oops")}`)).to.deep.equal({ ...prose("a"), errors: ["0 null"] });
    expect(parse(block("<function=></function>")).errors).to.deep.equal(["0 null"]);
    expect(parse(block("<function=f><parameter=a>1</parameter>")).errors).to.deep.equal(["0 f"]);
  });

  it("ignores a parameter without its closing tag", () => {
    expect(
      parse(block(`<function=f><parameter=a>1${parameter("b", "2")}<parameter=c>3</function>`)).calls,
    ).to.deep.equal(['f {"a": "1<parameter=b>2"}']);
    expect(parse(block("<function=f><parameter=a>1</function>")).calls).to.deep.equal(["f {}"]);
  });

  it("keeps the format's own tags inside a value", () => {
    const value = 'head = "<seed:tool_call>" + "</function></parameter>"';
    expect(parse(block(fn("f", parameter("code", value)))).calls).to.deep.equal([
      `f {"code": ${JSON.stringify(value)}}`,
    ]);
  });

  it("reads no call inside a thought, of which it knows two marks", () => {
    const call = block(fn("x"));
    expect(parse(`<seed:think>${call}</seed:think>Hi<think>${call}</think>${block(fn("y"))}`)).to.deep.equal({
      ...prose("Hi"),
      reasoning: call + call,
      calls: ["y {}"],
    });
  });
});
