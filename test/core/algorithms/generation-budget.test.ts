import { expect } from "chai";
import { GenerationBudget } from "../../../core/algorithms/generation-budget.js";

describe("the budget of dynamic sampling", () => {
  it("T21: stops after the cap and tells how many groups were all 0 and all 1", () => {
    const budget = new GenerationBudget(3);
    for (let batch = 0; batch < 2; batch++) {
      budget.record(new Map([[0, 3]]));
      expect(budget.isSpent).to.equal(false);
    }
    budget.record(new Map([[1, 2]]));
    expect(budget.isSpent).to.equal(true);
    const error = budget.exhausted(1, 4);
    expect(error.code).to.equal("VERL_ALGORITHMS_NO_SIGNAL");
    expect(error.data).to.include({ allZero: 6, allOne: 2, usable: 1, needed: 4 });
    expect(error.fix).to.match(/rollout\.n/);
  });

  it("is never spent without a limit", () => {
    const budget = new GenerationBudget(0);
    for (let i = 0; i < 50; i++) budget.record(new Map([[0, 9]]));
    expect(budget.isSpent).to.equal(false);
  });
});
