import { expect } from "chai";
import fc from "fast-check";
import { loadTokenizer } from "../../../core/data/index.js";
import { BYTE_VOCABULARY, byteTokenizerFiles, END } from "../../../examples/common/byte-tokenizer.js";

const tokenizer = await loadTokenizer(byteTokenizerFiles());

describe("examples/common/byte-tokenizer", () => {
  it("writes any text with one token a byte, and gives it back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/<\||<\/?tool_call>/.test(text));
        const ids = tokenizer.encode(text);
        expect(ids.length).to.equal(Buffer.byteLength(text));
        expect(tokenizer.decode(ids)).to.equal(text);
      }),
    );
  });

  it("has one token for each header and tag", () => {
    expect(tokenizer.vocabSize).to.equal(BYTE_VOCABULARY);
    const ids = tokenizer.encodeChat([{ role: "user", content: "a" }], { addGenerationPrompt: true });
    expect(ids.length).to.equal(4);
    expect(tokenizer.decode(ids)).to.equal(`<|user|>a${END}<|assistant|>`);
    expect(tokenizer.decode(tokenizer.encode("<tool_call>x</tool_call>"), { skipSpecialTokens: true })).to.equal(
      "<tool_call>x</tool_call>",
    );
  });

  it("shows the names of tools", () => {
    const tools = ["one", "two"].map((name) => ({ type: "function", function: { name } }));
    expect(tokenizer.renderChat([{ role: "user", content: "a" }], { tools })).to.equal(
      `<|system|>one two${END}<|user|>a${END}`,
    );
  });
});
