import { expect } from "chai";
import { prose, turnOf } from "./support.js";

const EOS = "<｜end▁of▁sentence｜>";
const parse = (text: string) => turnOf("deepseek_v4", text, { eosToken: EOS, padToken: "<pad>" });
const block = (body: string) => `<｜DSML｜tool_calls>\n${body}</｜DSML｜tool_calls>`;
const invoke = (name: string, body = "") => `<｜DSML｜invoke name="${name}">\n${body}</｜DSML｜invoke>\n`;
const parameter = (key: string, isText: boolean, value: string) =>
  `<｜DSML｜parameter name="${key}" string="${isText}">${value}</｜DSML｜parameter>\n`;

describe("agent/tool-parsers: deepseek_v4", () => {
  it("reads a call after a thought and text", () => {
    const body = invoke("lookup", parameter("key", true, "a1") + parameter("n", false, "4"));
    expect(parse(`need data</think>Looking it up.\n\n${block(body)}${EOS}`)).to.deep.equal({
      ...prose("Looking it up."),
      reasoning: "need data",
      calls: ['lookup {"key": "a1", "n": 4}'],
    });
  });

  it("takes texts as they are, and other values as JSON if they are", () => {
    const body = [
      parameter("a", true, " 00123\n"),
      parameter("b", true, '"q"'),
      parameter("c", false, ' {"x": [1, {"é": null}]} '),
      parameter("d", false, "[1,"),
      parameter("e", false, "12345678901234567890123"),
    ].join("");
    expect(parse(`x</think>${block(invoke("s", body))}`).calls).to.deep.equal([
      's {"a": " 00123\\n", "b": "\\"q\\"", "c": {"x": [1, {"é": null}]}, "d": "[1,", "e": 12345678901234567890123}',
    ]);
  });

  it("ignores a parameter that does not say whether it is text", () => {
    const body = `<｜DSML｜parameter name="k">v</｜DSML｜parameter>\n${parameter("m", true, "w")}`;
    expect(parse(`z</think>${block(invoke("p", body))}`).calls).to.deep.equal(['p {"m": "w"}']);
  });

  it("accepts attributes in any order, and more of them", () => {
    const body = '<｜DSML｜parameter string="false" x="y" name="k">1</｜DSML｜parameter>';
    expect(parse(block(`<｜DSML｜invoke id="1" name="f">${body}</｜DSML｜invoke>`)).calls).to.deep.equal([
      'f {"k": 1}',
    ]);
  });

  it("keeps the format's own tags inside a value", () => {
    const code = 'print("</｜DSML｜parameter>")';
    const json = '{"a": "</｜DSML｜parameter></｜DSML｜invoke>"}';
    const body = parameter("t", true, code) + parameter("j", false, json);
    expect(parse(block(invoke("f", body))).calls).to.deep.equal([`f {"t": ${JSON.stringify(code)}, "j": ${json}}`]);
  });

  it("takes what follows the last closing mark of a thought for content", () => {
    expect(parse(`reason</think>plain answer${EOS}`)).to.deep.equal({ ...prose("plain answer"), reasoning: "reason" });
    expect(parse("a</think>b</think>c\n\n")).to.deep.equal({ ...prose("c\n\n"), reasoning: "a</think>b" });
    expect(parse(`plain<pad> answer${EOS}`)).to.deep.equal(prose("plain answer"));
  });

  it("knows a thought by its opening mark, too", () => {
    expect(parse(`<think>a${block(invoke("x"))}</think>b`)).to.deep.equal({
      ...prose("b"),
      reasoning: `a${block(invoke("x"))}`,
    });
    expect(parse("<think>cut off")).to.deep.equal({ ...prose(""), reasoning: "cut off" });
    expect(parse("x<think>cut off")).to.deep.equal({ ...prose("x"), reasoning: "cut off" });
    expect(parse(`x</think>y<think>${block(invoke("x"))}</think>w${block(invoke("z"))}`)).to.deep.equal({
      ...prose("w"),
      reasoning: `x</think>y<think>${block(invoke("x"))}`,
      calls: ["z {}"],
    });
  });

  it("reads no call before the closing mark, wherever the thought began", () => {
    const text = `plan ${block(invoke("A"))} hm</think>ok\n\n${block(invoke("B"))}`;
    expect(parse(text)).to.deep.equal({ ...prose("ok"), reasoning: `plan ${block(invoke("A"))} hm`, calls: ["B {}"] });
  });

  it("reads calls of a turn without a thought", () => {
    expect(parse(`Hi\n\n${block(invoke("a"))} after ${block(invoke("b"))}`)).to.deep.equal({
      ...prose("Hi"),
      calls: ["a {}", "b {}"],
    });
  });

  it("drops a block that is cut off, with the blank line before it", () => {
    expect(parse(`x</think>Hi\n\n${block(invoke("s")).slice(0, -4)}`)).to.deep.equal({
      ...prose("Hi"),
      reasoning: "x",
    });
    expect(parse("Hi\n<｜DSML｜tool_calls>")).to.deep.equal(prose("Hi\n"));
  });

  it("reports a block without calls, and a call without its closing tag", () => {
    expect(parse(`</think>${block("oops")}`).errors).to.deep.equal(["0 null"]);
    expect(parse(block(`<｜DSML｜invoke name="a">${invoke("b")}`))).to.deep.equal({
      ...prose(""),
      calls: ["b {}"],
      errors: ["0 a"],
    });
  });

  it("gives calls at once if it is told that the turn begins outside a thought", () => {
    const text = block(invoke("a"));
    expect(turnOf("deepseek_v4", `a${text}`, { startsInThought: false }).calls).to.deep.equal(["a {}"]);
    expect(turnOf("deepseek_v4", `a${text}</think>b${text}`, { startsInThought: true })).to.deep.equal({
      ...prose("b"),
      reasoning: `a${text}`,
      calls: ["a {}"],
    });
  });
});
