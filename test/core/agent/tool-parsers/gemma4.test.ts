import { expect } from "chai";
import { prose, turnOf } from "./support.js";

const parse = (text: string) => turnOf("gemma4", text);
const call = (body: string) => `<|tool_call>call:${body}<tool_call|>`;
const text = (value: string) => `<|"|>${value}<|"|>`;

describe("agent/tool-parsers: gemma4", () => {
  it("reads texts, numbers and words", () => {
    expect(parse(`Okay.${call(`find{city:${text("Lund")},n:3,open:true,x:-1.5e3,y:Null,z:abc d}`)}`)).to.deep.equal({
      ...prose("Okay."),
      calls: ['find {"city": "Lund", "n": 3, "open": true, "x": -1.5e3, "y": null, "z": "abc d"}'],
    });
  });

  it("reads several calls", () => {
    expect(parse(`${call("ping{}")}, ${call("a{b:1}")}tail`)).to.deep.equal({
      ...prose(""),
      calls: ["ping {}", 'a {"b": 1}'],
    });
  });

  it("takes what stands between text marks as it is", () => {
    const value = 'a, b: {c} ]} "q" \\ \n <tool_call|><|tool_call>';
    expect(parse(call(`f{q:${text(value)}}`)).calls).to.deep.equal([`f {"q": ${JSON.stringify(value)}}`]);
  });

  it("nests objects and arrays", () => {
    const body = `f{l:[1,[2,${text("]")}],{a:{b:${text("}")}},c:[]}],o:{}}`;
    expect(parse(call(body)).calls).to.deep.equal(['f {"l": [1, [2, "]"], {"a": {"b": "}"}, "c": []}], "o": {}}']);
  });

  it("allows white space, marked keys and a comma at the end", () => {
    expect(parse(call(` f \n{ a : 1 , ${text("b c")} : [ 2 , ] , }\n`)).calls).to.deep.equal([
      'f {"a": 1, "b c": [2]}',
    ]);
  });

  it("keeps every digit, and takes for a number only what JSON does", () => {
    expect(parse(call("f{a:12345678901234567890123,b:007,c:1_0,d:NaN,e:-0.0,f:+1}")).calls).to.deep.equal([
      'f {"a": 12345678901234567890123, "b": "007", "c": "1_0", "d": "NaN", "e": -0.0, "f": "+1"}',
    ]);
  });

  it("lets the last of repeated keys count, in the first one's place", () => {
    expect(parse(call("f{a:1,b:2,a:3}")).calls).to.deep.equal(['f {"a": 3, "b": 2}']);
  });

  it("leaves a call in the content that is not closed", () => {
    for (const cut of ["cut <|tool_call>call:f{city:", `<|tool_call>call:f{a:<|"|>x}<tool_call|>`, "<|tool"]) {
      expect(parse(cut)).to.deep.equal(prose(cut));
    }
  });

  for (const [body, name] of [
    ["f{a:1", "f"],
    ["f{a}", "f"],
    ["f{a:1}x", "f"],
    ["f{a:[1}", "f"],
    [`f{a:${text("x")}y}`, "f"],
    [`f{a:x${text("y")}}`, "f"],
    [`f{a:${"[".repeat(100_000)}}`, "f"],
    ["f", "f"],
    ["{a:1}", "null"],
  ]) {
    it(`reports ${body.slice(0, 20)} as malformed`, () => {
      expect(parse(`a${call(body)}b`)).to.deep.equal({ ...prose("a"), errors: [`0 ${name}`] });
    });
  }

  it("reads no call inside a thought, of which it knows two marks", () => {
    expect(
      parse(`<|channel>thought\nhm ${call("x{}")}<channel|>Hi<think>${call("y{}")}</think>${call("z{}")}`),
    ).to.deep.equal({
      ...prose("Hi"),
      reasoning: `\nhm ${call("x{}")}${call("y{}")}`,
      calls: ["z {}"],
    });
  });
});
