import { expect } from "chai";
import { RandomStream } from "../../../core/data/index.js";
import { demonstratedMessages, mathExpressions, resultOf, textOf } from "../../../examples/langgraph/expressions.js";
import { computeScore } from "../../../examples/langgraph/reward.js";

describe("examples/langgraph/expressions", () => {
  const options = { minTerms: 2, maxTerms: 4, seed: 1, train: 200, validation: 50 };

  it("works expressions out from left to right", () => {
    const rest = [
      { operator: "@", term: 4 },
      { operator: "-", term: 9 },
      { operator: "+", term: 1 },
    ] as const;
    expect(textOf({ first: 5, rest })).to.equal("5@4-9+1");
    expect(resultOf({ first: 5, rest })).to.equal(-1);
  });

  it("has as many terms as asked for, and no expression twice", () => {
    const { train, validation } = mathExpressions(options);
    const all = [...train, ...validation];
    expect(new Set(all.map(textOf)).size).to.equal(250);
    expect(new Set(all.map(({ rest }) => rest.length + 1))).to.deep.equal(new Set([2, 3, 4]));
  });

  it("is taught by somebody who is right whenever the tool is used", () => {
    const random = new RandomStream(1, "test");
    let diligent = 0;
    for (const expression of mathExpressions(options).train) {
      const messages = demonstratedMessages(expression, random);
      if (messages.length === 2) continue;
      diligent++;
      expect(messages).to.have.length(2 + 2 * expression.rest.length);
      expect(messages.at(-1)?.content).to.equal(`Answer: ${resultOf(expression)}`);
    }
    expect(diligent / 200).to.be.closeTo(1 / 3, 0.1);
  });

  it("rewards the number after the last Answer:", () => {
    expect(computeScore({ solution: "<tool_call>…</tool_call>-7Answer: -7", groundTruth: "-7" })).to.deep.equal({
      score: 1,
      acc: 1,
      used_tool: 1,
      pred: "-7",
    });
    for (const solution of ["-7", "Answer: 7", "Answer: -7.", ""]) {
      expect(computeScore({ solution, groundTruth: "-7" }).score).to.equal(0);
    }
  });
});
