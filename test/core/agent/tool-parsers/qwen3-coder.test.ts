import { expect } from "chai";
import { prose, tool, turnOf } from "./support.js";

const TOOLS = [
  tool("book", {
    city: { type: "string" },
    nights: { type: "integer" },
    price: { type: "number" },
    breakfast: { type: "boolean" },
    tags: { type: "array" },
    opts: { type: "object" },
  }),
  tool("run", { code: { type: "string" }, timeout: { type: "integer" } }),
];
const parse = (text: string, options = {}) => turnOf("qwen3_coder", text, { tools: TOOLS, ...options });
const block = (...functions: string[]) => `<tool_call>\n${functions.join("\n")}\n</tool_call>`;
const fn = (name: string, ...parameters: string[]) => `<function=${name}>\n${parameters.join("")}</function>`;
const parameter = (key: string, value: string) => `<parameter=${key}>\n${value}\n</parameter>\n`;

/** The arguments of a call of `run` with this code. */
const code = (value: string) => parse(block(fn("run", parameter("code", value), parameter("timeout", "1")))).calls;
const withCode = (value: string) => [`run {"code": ${JSON.stringify(value)}, "timeout": 1}`];

describe("agent/tool-parsers: qwen3_coder", () => {
  it("reads a call and types its values", () => {
    const call = fn("book", parameter("city", "Oslo"), parameter("nights", "3"), parameter("price", "120.0"));
    expect(parse(`Booking now.\n${block(call)} after`)).to.deep.equal({
      ...prose("Booking now.\n"),
      calls: ['book {"city": "Oslo", "nights": 3, "price": 120}'],
    });
  });

  it("reads several functions a block, and several blocks", () => {
    expect(parse(`${block(fn("a"), fn("b"))} mid ${block(fn("c"))}`).calls).to.deep.equal(["a {}", "b {}", "c {}"]);
  });

  it("takes everything for text that it does not know", () => {
    const call = fn("mystery", parameter("n", "5"), parameter("o", '{"a": 1}'));
    expect(parse(block(call)).calls).to.deep.equal(['mystery {"n": "5", "o": "{\\"a\\": 1}"}']);
    expect(parse(block(fn("book", parameter("color", "7")))).calls).to.deep.equal(['book {"color": "7"}']);
    expect(parse(block(fn("book", parameter("nights", "7"))), { tools: undefined }).calls).to.deep.equal([
      'book {"nights": "7"}',
    ]);
  });

  it("takes exactly one newline off each end of a value", () => {
    expect(code("\nimport os\n\n")).to.deep.equal(withCode("\nimport os\n\n"));
    expect(parse(block(fn("run", "<parameter=code>  a b  </parameter>"))).calls).to.deep.equal([
      'run {"code": "  a b  "}',
    ]);
    expect(parse(block(fn("run", "<parameter=code>\n</parameter>"))).calls).to.deep.equal(['run {"code": ""}']);
    expect(parse(block(fn("run", "<parameter=code></parameter>"))).calls).to.deep.equal(['run {"code": ""}']);
    const crlf = block(fn("run", parameter("code", "a\nb"))).replaceAll("\n", "\r\n");
    expect(parse(crlf).calls).to.deep.equal(['run {"code": "a\\r\\nb"}']);
  });

  it("needs the outer tag", () => {
    const text = fn("book", parameter("city", "Oslo"));
    expect(parse(text)).to.deep.equal(prose(text));
  });

  it("leaves blocks without a function in the text, unless one with a function follows", () => {
    const text = "Use <tool_call>\n or <tool_call>x</tool_call> so.";
    expect(parse(text)).to.deep.equal(prose(text));
    expect(parse(`Use <tool_call>x</tool_call> so: ${block(fn("a"))}`)).to.deep.equal({
      ...prose("Use "),
      calls: ["a {}"],
    });
  });

  describe("tags inside a value", () => {
    for (const value of [
      "tail = '</function>' * 2\nprint(tail)",
      "print('<parameter=x>', '<function=y>', '<tool_call>', '</tool_call>')",
      'print("</parameter>")',
      "</parameter> at the beginning",
      block(fn("x", parameter("a", "1"), parameter("b", "2"))),
      `say ${block(fn("x", parameter("a", "1")))} please`,
      '{"a": "</parameter></function></tool_call>"}',
      "<think>x</think>",
      "< / parameter >",
      '"',
      '"a": 1,',
    ]) {
      it(`are text: ${JSON.stringify(value)}`, () => {
        expect(code(value)).to.deep.equal(withCode(value));
      });
    }
  });

  describe("closing tags that are missing", () => {
    const whole = block(fn("book", parameter("city", "Oslo"), parameter("nights", "2")));

    it("are tolerated at the end of the text", () => {
      for (const end of ["</tool_call>", "</function>\n</tool_call>", "</parameter>\n</function>\n</tool_call>"]) {
        const cut = whole.slice(0, whole.length - end.length);
        expect(parse(cut).calls, cut).to.deep.equal(['book {"city": "Oslo", "nights": 2}']);
      }
    });

    it("are tolerated wherever the text is cut behind the value", () => {
      const value = whole.indexOf("\n2\n") + 3;
      for (let at = value; at < whole.length; at++) {
        // A single "<" could be part of the value.
        if (whole[at - 1] === "<") continue;
        expect(parse(whole.slice(0, at)).calls, whole.slice(0, at)).to.deep.equal([
          'book {"city": "Oslo", "nights": 2}',
        ]);
      }
    });

    it("are tolerated before the tags that close what is around", () => {
      expect(parse("<tool_call><function=run><parameter=code>x</function></tool_call> and so on").calls).to.deep.equal([
        'run {"code": "x"}',
      ]);
      expect(parse("<tool_call><function=run><parameter=code>x</parameter></tool_call>").calls).to.deep.equal([
        'run {"code": "x"}',
      ]);
      expect(parse("<tool_call><function=a><function=b></tool_call>").calls).to.deep.equal(["a {}", "b {}"]);
    });

    it("leave the end token out of the value", () => {
      const text = "<tool_call><function=run><parameter=code>x<|im_end|>";
      expect(parse(text, { eosToken: "<|im_end|>" }).calls).to.deep.equal(['run {"code": "x"}']);
    });
  });

  it("drops a function without the end of its opening tag, and a parameter likewise", () => {
    expect(parse("Let me\n<tool_call>\n<function=book")).to.deep.equal(prose("Let me\n"));
    expect(parse("<tool_call><function=book><parameter=ci").calls).to.deep.equal(["book {}"]);
    expect(parse(block("<function=book\n<parameter=city>"))).to.deep.equal({ ...prose(""), errors: ["0 null"] });
  });

  it("ignores what stands between parameters", () => {
    const text = block(fn("run", "<parameter=code>a</parameter>, then <parameter=timeout>2</parameter>."));
    expect(parse(text).calls).to.deep.equal(['run {"code": "a", "timeout": 2}']);
  });

  it("lets the last of repeated parameters count", () => {
    expect(parse(block(fn("run", parameter("code", "a"), parameter("code", "b")))).calls).to.deep.equal([
      'run {"code": "b"}',
    ]);
  });

  it("reads no call inside a thought, before or after the first call", () => {
    const call = block(fn("x"));
    expect(
      parse(`<think>\nuse ${call}?\n</think>\n\n${block(fn("a"))}<think>${call}</think>${block(fn("b"))}`),
    ).to.deep.equal({
      ...prose("\n\n"),
      reasoning: `\nuse ${call}?\n${call}`,
      calls: ["a {}", "b {}"],
    });
  });
});
