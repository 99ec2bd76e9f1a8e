import { expect } from "chai";
import { TurnEncoder } from "../../../core/agent/index.js";
import { loadTokenizer } from "../../../core/data/index.js";
import { byteTokenizerFiles } from "../../../examples/common/byte-tokenizer.js";
import { conversation } from "../../../examples/common/conversation.js";

const tokenizer = await loadTokenizer(byteTokenizerFiles());

describe("examples/common/conversation", () => {
  const encoder = new TurnEncoder(tokenizer, { modelType: "llama" });

  it("imitates the assistant's turns and nothing else", () => {
    const { promptIds, responseIds, responseMask } = conversation(encoder, [
      { role: "user", content: "q" },
      { role: "assistant", content: "<tool_call>c</tool_call>" },
      { role: "tool", content: "r" },
      { role: "assistant", content: "a" },
    ]);
    const masked = (bit: number) =>
      tokenizer.decode(Array.from(responseIds).filter((_, t) => responseMask?.[t] === bit));
    expect(tokenizer.decode(promptIds)).to.equal("<|user|>q<|end|><|assistant|>");
    expect(tokenizer.decode(responseIds)).to.equal(
      "<tool_call>c</tool_call><|end|><|tool|>r<|end|><|assistant|>a<|end|>",
    );
    expect(masked(1)).to.equal("<tool_call>c</tool_call><|end|>a<|end|>");
    expect(masked(0)).to.equal("<|tool|>r<|end|><|assistant|>");
  });
});
