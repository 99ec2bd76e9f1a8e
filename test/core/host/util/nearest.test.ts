import { expect } from "chai";
import { nearestBeginning, nearestName } from "../../../../core/host/util/nearest.js";

const ESTIMATORS = ["gae", "gdpo", "gpg", "grpo", "opo", "reinforce_plus_plus", "remax", "rloo"];

describe("core/host/util/nearest", () => {
  const MEANT: readonly [given: string, meant: string | null][] = [
    // Swapped neighbours count less than other letters, alone and beside one more slip.
    ["gprp", "grpo"],
    ["grop", "grpo"],
    ["rgpo", "grpo"],
    ["rlooo", "rloo"],
    ["GRPO", "grpo"],
    ["remxa", "remax"],
    ["reinforce_plus_pluss", "reinforce_plus_plus"],
    // Half of a short name is another name.
    ["ppo", "opo"],
    ["dpo", "gdpo"],
    ["sft", null],
    ["dapo", null],
    ["gxyo", null],
    ["prpo", "grpo"],
    ["drgr", null],
    ["abcd", null],
    ["x", null],
  ];
  for (const [given, meant] of MEANT) {
    it(`takes ${given} for ${meant ?? "nothing"}`, () => {
      expect(nearestName(given, ESTIMATORS)).to.equal(meant);
    });
  }

  it("finds a name by its beginning, with a slip in it", () => {
    expect(nearestBeginning("train_bacth", ["test_freq", "train_batch_size"])).to.equal("train_batch_size");
    expect(nearestBeginning("qwertz", ["train_batch_size"])).to.equal(null);
  });
});
