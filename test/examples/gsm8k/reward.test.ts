import { expect } from "chai";
import { gain } from "../../../examples/gsm8k/proportions.js";
import { computeScore } from "../../../examples/gsm8k/reward.js";

describe("examples/gsm8k/reward", () => {
  const score = (solution: string, groundTruth = "42") => computeScore({ solution, groundTruth });

  it("scores format and answer apart", () => {
    expect(score("so\n#### 42")).to.deep.equal({ score: 1, format: 1, acc: 1, pred: "42" });
    expect(score("so\n#### 41")).to.include({ format: 1, acc: 0 });
    expect(score("the answer is 42")).to.include({ format: 0, acc: 1 });
    expect(score("no number")).to.include({ score: 0, pred: "" });
  });

  it("reads the last marked number, thousands separators and trailing stops", () => {
    expect(score("#### 1 then #### 1,042.", "1042")).to.include({ format: 1, acc: 1 });
    expect(score("#### $42.00")).to.include({ format: 1, acc: 1 });
  });

  it("does not take a mark without a number for the format", () => {
    expect(score("####")).to.include({ format: 0, acc: 0 });
  });

  it("gives the interval of a difference", () => {
    const { gain: difference, low, high } = gain(0.4, 0.6, 200);
    expect(difference).to.be.closeTo(0.2, 1e-12);
    expect(low).to.be.closeTo(0.104, 0.001);
    expect(high).to.be.closeTo(0.296, 0.001);
  });
});
