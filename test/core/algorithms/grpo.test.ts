import { expect } from "chai";
import { uniformGroups } from "../../../core/algorithms/advantages/groups.js";
import { grpo } from "../../../core/algorithms/advantages/grpo.js";
import { createKlController } from "../../../core/algorithms/kl-controller.js";
import { applyKlPenalty, placeOutcomes } from "../../../core/algorithms/rewards-kl.js";
import { advantageConfig, outcomeInput } from "./fixtures.js";

const config = advantageConfig();
const advantages = (...args: Parameters<typeof outcomeInput>) => [
  ...grpo.compute(outcomeInput(...args), config).advantages,
];

describe("GRPO advantages", () => {
  it("T17: a uniform group is exactly 0, a group of one keeps its score, a spread group is normalised", () => {
    const same = ["g", "g", "g", "g"];
    expect(advantages([1, 1, 1, 1], same)).to.deep.equal([0, 0, 0, 0]);
    expect(advantages([0.1, 0.1, 0.1, 0.1], same)).to.deep.equal([0, 0, 0, 0]);
    expect(advantages([0.7], ["g"])[0]).to.be.closeTo(0.7 / (1 + 1e-6), 1e-7);
    const spread = advantages([1, 0, 0, 0], same);
    expect(spread[0]).to.be.closeTo(1.499997, 1e-6);
    expect(spread[1]).to.be.closeTo(-0.499999, 1e-6);
  });

  it("T18: a rejected row does not move its siblings", () => {
    const two = advantages([1, 10], ["g", "g"], { mask: [1, 0] });
    expect(two).to.deep.equal([...advantages([1], ["g"]), 0]);
  });

  it("T23: abstaining rows are left out, and a group of them is left at 0", () => {
    const rewards = [Number.NaN, 1, 0, Number.NaN, Number.NaN];
    const values = advantages(rewards, ["g", "g", "g", "g", "h"], { eligible: [0, 1, 1, 0, 0] });
    expect(values[0]).to.equal(0);
    expect(values[1]).to.be.closeTo(Math.SQRT1_2, 1e-5);
    expect(values[2]).to.be.closeTo(-Math.SQRT1_2, 1e-5);
    expect(values[4]).to.equal(0);
  });

  it("does not care where in the batch a group's rows stand", () => {
    const ids = ["b", "a", "b", "a"];
    const values = advantages([1, 5, 3, 5], ids);
    expect(values[0]).to.equal(-values[2]);
    expect(values[1]).to.equal(0);
  });

  it("counts a session of several rows once, by its last row, and tells all rows", () => {
    const keys = ["u_0_1", "u_0_0", "u_1_0"];
    const values = advantages([4, 100, 2], ["u", "u", "u"], { keys });
    expect(values[0]).to.be.closeTo(Math.SQRT1_2, 1e-5);
    expect(values[1]).to.equal(values[0]);
    expect(values[2]).to.be.closeTo(-Math.SQRT1_2, 1e-5);
  });

  it("reports how many groups carry no signal, by score", () => {
    const report = uniformGroups(outcomeInput([1, 1, 0, 0, 1, 0, 5], ["a", "a", "b", "b", "c", "c", "d"]));
    expect([report.groups, report.uniform]).to.deep.equal([3, 2]);
    expect([...report.scores]).to.deep.equal([
      [1, 1],
      [0, 1],
    ]);
  });
});

describe("rewards", () => {
  it("put an outcome on the last token that counts", () => {
    const offsets = Int32Array.of(0, 3, 5, 5);
    expect([...placeOutcomes([7, 8, 9], [1, 1, 0, 0, 0], offsets)]).to.deep.equal([0, 7, 0, 0, 8]);
  });

  it("pay the KL penalty with the coefficient from before the update", () => {
    const controller = createKlController({ type: "adaptive", klCoef: 0.5, targetKl: 0.1, horizon: 10 });
    const { tokenLevelRewards, metrics } = applyKlPenalty(
      {
        tokenLevelScores: [0, 1, 0],
        oldLogProb: [-1, -1, Number.NaN],
        refLogProb: [-2, -1, 0],
        responseMask: [1, 1, 0],
        responseOffsets: Int32Array.of(0, 2, 3),
      },
      controller,
      "kl",
    );
    expect([...tokenLevelRewards]).to.deep.equal([-0.5, 1, 0]);
    expect(metrics["actor/reward_kl_penalty"]).to.equal(0.25);
    expect(metrics["actor/reward_kl_penalty_coeff"]).to.equal(0.5);
    expect(controller.value).to.be.closeTo(0.5 * (1 + (0.2 * 2) / 10), 1e-12);
  });

  it("keep the controller's state through a checkpoint", () => {
    const make = () => createKlController({ type: "adaptive", klCoef: 0.5, targetKl: 0.1, horizon: 10 });
    const [a, b] = [make(), make()];
    a.update(3, 5);
    b.restore(a.state());
    expect(b.value).to.equal(a.value);
  });
});
