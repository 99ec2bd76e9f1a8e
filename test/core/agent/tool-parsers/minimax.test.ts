import { expect } from "chai";
import { prose, turnOf } from "./support.js";

const parse = (text: string) => turnOf("minimax", text);
const block = (body: string) => `<minimax:tool_call>\n${body}\n</minimax:tool_call>`;
const invoke = (name: string, body = "") => `<invoke name="${name}">\n${body}</invoke>\n`;
const parameter = (key: string, value: string) => `<parameter name="${key}">${value}</parameter>\n`;

describe("agent/tool-parsers: minimax", () => {
  it("reads several calls a block, and several blocks", () => {
    const text = `Sure.${block(invoke("search", parameter("n", "3")) + invoke("ping"))} mid ${block(invoke("s"))}`;
    expect(parse(text)).to.deep.equal({ ...prose("Sure."), calls: ['search {"n": 3}', "ping {}", "s {}"] });
  });

  it("types values by their text", () => {
    const body =
      parameter("a", " ключ ") + parameter("b", '{"x": [1, {"y": "\\"q\\""}], "n": null}') + parameter("c", "1.50");
    expect(parse(block(invoke("f", body))).calls).to.deep.equal([
      'f {"a": "ключ", "b": {"x": [1, {"y": "\\"q\\""}], "n": null}, "c": 1.50}',
    ]);
  });

  it("requires double quotes", () => {
    expect(parse(block("<invoke name=search></invoke>"))).to.deep.equal({ ...prose(""), errors: ["0 null"] });
    expect(parse(block("<invoke name='search'></invoke>")).errors).to.deep.equal(["0 null"]);
    expect(parse(block(invoke("f", `<parameter name=a>1</parameter>${parameter("b", "2")}`))).calls).to.deep.equal([
      'f {"b": 2}',
    ]);
  });

  it("allows more attributes, and any character inside quotes", () => {
    const body = `<parameter type="int" name="a>b" x="">1</parameter>`;
    expect(parse(block(`<invoke  id="1"  name="f" >${body}</invoke>`)).calls).to.deep.equal(['f {"a>b": 1}']);
  });

  it("leaves a block in the content that is not closed", () => {
    for (const text of [
      'cut <minimax:tool_call>\n<invoke name="store">\n<parameter name="key">v',
      `a ${block(invoke("f")).slice(0, -1)}`,
      '<minimax:tool_call><invoke name="a',
    ]) {
      expect(parse(text)).to.deep.equal(prose(text));
    }
  });

  it("drops a later block that is not closed", () => {
    expect(parse(`a${block(invoke("f"))}b<minimax:tool_call>${invoke("g")}`)).to.deep.equal({
      ...prose("a"),
      calls: ["f {}"],
    });
  });

  it("reports a call without its closing tag and goes on", () => {
    expect(parse(block(`<invoke name="a">${parameter("x", "1")}${invoke("b")}`))).to.deep.equal({
      ...prose(""),
      calls: ["b {}"],
      errors: ["0 a"],
    });
  });

  it("lets a missing closing tag of a value harm nothing but this value", () => {
    expect(
      parse(block(`<invoke name="a"><parameter name="x">5</invoke>${invoke("b", parameter("y", "6"))}`)).calls,
    ).to.deep.equal(["a {}", 'b {"y": 6}']);
  });

  it("keeps the format's own tags inside a value", () => {
    for (const value of ['"</parameter></invoke></minimax:tool_call>"', '{"a": "</parameter>"}']) {
      expect(parse(block(invoke("f", parameter("v", value)))).calls).to.deep.equal([`f {"v": ${value}}`]);
    }
    const code = 'print("</parameter>", "</invoke>")';
    expect(parse(block(invoke("f", parameter("v", code)))).calls).to.deep.equal([`f {"v": ${JSON.stringify(code)}}`]);
  });

  it("reads no call inside a thought", () => {
    expect(parse(`<think>${block(invoke("x"))}</think>Hi`)).to.deep.equal({
      ...prose("Hi"),
      reasoning: block(invoke("x")),
    });
  });
});
