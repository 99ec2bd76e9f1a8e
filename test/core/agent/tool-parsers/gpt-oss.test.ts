import { expect } from "chai";
import { prose, turnOf } from "./support.js";

const parse = (text: string) => turnOf("gpt-oss", text, { padToken: "<pad>" });
const call = (name: string, args: string) =>
  `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${args}<|call|>`;
const START = "<|start|>assistant";

describe("agent/tool-parsers: gpt-oss", () => {
  it("reads an analysis as thought and a call after it", () => {
    expect(parse(`<|channel|>analysis<|message|>think<|end|>${START}${call("lookup", '{"id": 9}')}`)).to.deep.equal({
      ...prose(""),
      reasoning: "think",
      calls: ['lookup {"id": 9}'],
    });
  });

  it("needs no opening in front of the first message", () => {
    expect(parse(call("a", "{}")).calls).to.deep.equal(["a {}"]);
    expect(parse(` to=functions.a<|channel|>commentary json<|message|>{}<|call|>`).calls).to.deep.equal(["a {}"]);
  });

  it("finds the recipient with the role or the channel, with or without a constraint", () => {
    for (const header of [
      `${START} to=functions.a<|channel|>commentary <|constrain|>json`,
      `${START}<|channel|>commentary to=functions.a <|constrain|>json`,
      `${START}<|channel|>commentary to=functions.a<|constrain|>json`,
      `${START}<|channel|>commentary to=functions.a json`,
      "<|channel|>commentary to=functions.a",
      "<|channel|>analysis to=functions.a <|constrain|>json",
    ]) {
      expect(parse(`${header}<|message|>{"k":1}<|call|>`), header).to.deep.equal({
        ...prose(""),
        calls: ['a {"k":1}'],
      });
    }
  });

  it("reports arguments that are not JSON and goes on", () => {
    expect(parse(`${call("a", "{oops")}${START}${call("b", "{}")}`)).to.deep.equal({
      ...prose(""),
      calls: ["b {}"],
      errors: ["0 a"],
    });
    expect(parse(call("python", "print(1)")).errors).to.deep.equal(["0 python"]);
    expect(parse(call("a", "")).errors).to.deep.equal(["0 a"]);
  });

  it("is not led astray by a string without its end", () => {
    expect(parse(`${call("a", '{"x":"y}')}${START}${call("b", '{"z":1}')}`)).to.deep.equal({
      ...prose(""),
      calls: ['b {"z":1}'],
      errors: ["0 a"],
    });
    expect(parse(call("a", '{"x":"y}')).errors).to.deep.equal(["0 a"]);
  });

  it("gives the arguments as they stand in the text", () => {
    const args = '{\n "n":  12345678901234567890123, "u":"\\u00e9é", "s": "<|call|> <|end|>"\n}\n';
    expect(parse(call("a", args)).calls).to.deep.equal([`a ${args}`]);
  });

  it("gives messages to the user without their marks", () => {
    expect(parse(`<|channel|>final<|message|>42<|return|>`)).to.deep.equal(prose("42"));
    expect(parse(`<|channel|>commentary<|message|>I will look.<|end|>${START}${call("a", "{}")}`)).to.deep.equal({
      ...prose("I will look."),
      calls: ["a {}"],
    });
    expect(parse(`${START}<|message|>no channel<|end|>`)).to.deep.equal(prose("no channel"));
    expect(parse("<|channel|>final<|message|>cut o")).to.deep.equal(prose("cut o"));
    expect(parse(`<|channel|>final<|message|>a${START}<|channel|>final<|message|>b<|return|>`)).to.deep.equal(
      prose("ab"),
    );
  });

  it("leaves pads out, but not out of texts in arguments", () => {
    expect(parse("<|channel|>final<|message|>4<pad>2<|return|><pad><pad>")).to.deep.equal(prose("42"));
    expect(parse("<pad><|channel|>analysis<pad><|message|>a<pad>b<|end|>").reasoning).to.equal("ab");
    expect(parse(call("a", '{"k":<pad>1}')).calls).to.deep.equal(['a {"k":1}']);
    expect(parse(call("a", '{"k":"<pad>"}')).calls).to.deep.equal(['a {"k":"<pad>"}']);
  });

  it("reads no call inside an analysis, which ends at its end mark only", () => {
    expect(parse(`<|channel|>analysis<|message|>perhaps ${START}${call("x", "{}")} hm<|end|>hello`)).to.deep.equal({
      ...prose("hello"),
      reasoning: `perhaps ${START}${call("x", "{}")} hm`,
    });
    expect(parse("<|channel|>analysis<|message|>cut").reasoning).to.equal("cut");
  });

  it("leaves in the content what is no message of these kinds", () => {
    for (const text of [
      "plain <|x|> text",
      "<|channel|>fin",
      "<|channel|>final\n<|message|>x",
      "<|channel|><|channel|",
      "<|start|>user<|message|>x<|end|>",
      '<|channel|>commentary to=browser.search code<|message|>{"q":1}<|call|>',
      '<|channel|>commentary to=functions.cut <|constrain|>json<|message|>{"a": 1',
      '<|channel|>commentary to=functions.a <|constrain|>json<|message|>{"a": 1}<|end|>',
      "to= whom?",
    ]) {
      expect(parse(text)).to.deep.equal(prose(text));
    }
  });

  it("reads calls and thoughts after a final message", () => {
    const text = `<|channel|>final<|message|>done<|end|>${START}<|channel|>analysis<|message|>more<|end|>${START}${call("a", "{}")}`;
    expect(parse(text)).to.deep.equal({ ...prose("done"), reasoning: "more", calls: ["a {}"] });
  });

  it("reads no call inside a think block", () => {
    expect(parse(`<think>${call("a", "{}")}</think>${call("b", "{}")}`)).to.deep.equal({
      ...prose(""),
      reasoning: call("a", "{}"),
      calls: ["b {}"],
    });
  });

  it("begins inside an analysis if the prompt has opened one", () => {
    expect(turnOf("gpt-oss", "plan<|end|>x", { startsInThought: true })).to.deep.equal({
      ...prose("x"),
      reasoning: "plan",
    });
  });
});
