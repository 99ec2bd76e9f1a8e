import { expect } from "chai";
import { customRewardFunction } from "../../../core/reward/index.js";

const source = { path: "./reward.ts", name: "compute_score" };

describe("custom reward function", () => {
  it("is the named export", () => {
    const compute_score = () => 1;
    expect(customRewardFunction({ compute_score }, source)).to.equal(compute_score);
  });

  it("is found in a CommonJS module", () => {
    const compute_score = () => 1;
    expect(customRewardFunction({ default: { compute_score } }, source)).to.equal(compute_score);
  });

  it("is missed with the file and what it exports", () => {
    expect(() => customRewardFunction({ computeScore: () => 1 }, source))
      .to.throw("VERL_REWARD_BAD_FUNCTION")
      .with.property("message")
      .that.contains("./reward.ts")
      .and.contains('no export "compute_score"')
      .and.contains("exports computeScore");
    expect(() => customRewardFunction({ compute_score: 3 }, source)).to.throw("is a number, not a function");
  });
});
