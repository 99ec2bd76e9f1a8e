import { expect } from "chai";
import { GenerationBudget } from "../../../core/algorithms/generation-budget.js";
import { isVerlError } from "../../../core/host/errors.js";

describe("the budget of dynamic sampling", () => {
  it("T21: stops after the cap and tells how many groups were all 0 and all 1", () => {
    const budget = new GenerationBudget(3);
    for (let batch = 0; batch < 2; batch++) {
      budget.record(new Map([[0, 3]]));
      budget.check(0, 4);
    }
    budget.record(new Map([[1, 2]]));
    try {
      budget.check(1, 4);
      expect.fail("did not stop");
    } catch (error) {
      if (!isVerlError(error)) throw error;
      expect(error.code).to.equal("VERL_ALGORITHMS_NO_SIGNAL");
      expect(error.data).to.include({ allZero: 6, allOne: 2, usable: 1, needed: 4 });
      expect(error.fix).to.match(/rollout\.n/);
    }
  });

  it("is silent with enough groups, and without a limit", () => {
    const budget = new GenerationBudget(1);
    budget.record(new Map([[0, 9]]));
    budget.check(4, 4);
    const unlimited = new GenerationBudget(0);
    for (let i = 0; i < 50; i++) unlimited.record(new Map([[0, 9]]));
    unlimited.check(0, 4);
  });
});
