import { expect } from "chai";
import type { AdvantageInput } from "../../../core/algorithms/advantage.js";
import { groupIndex } from "../../../core/algorithms/advantages/group-index.js";
import { drawRows, pfPpoWeights } from "../../../core/algorithms/advantages/pf-ppo.js";
import { builtinAdvantageEstimators } from "../../../core/algorithms/index.js";
import { RandomStream } from "../../../core/data/random.js";
import { advantageConfig, outcomeInput } from "./fixtures.js";

const estimator = (name: string) => {
  const found = builtinAdvantageEstimators.find((e) => e.name === name);
  if (!found) throw new Error(name);
  return found;
};
const compute = (name: string, input: AdvantageInput, extra: Record<string, unknown> = {}) =>
  estimator(name).compute(input, advantageConfig({ extra }));

const everything = (input: AdvantageInput): AdvantageInput => {
  const ones = Array.from(input.responseMask, () => -0.5);
  return {
    ...input,
    values: ones.map(() => 0.1),
    oldLogProb: ones,
    sumPiSquared: ones.map(() => 0.4),
    rewardBaselines: input.groupIds.map(() => 0.2),
  };
};

describe("advantage estimators", () => {
  for (const { name } of builtinAdvantageEstimators) {
    it(`${name}: a rejected or abstaining row neither moves the others nor gets an advantage`, () => {
      const two = [1, 0, 0.5, 2];
      const ids = ["g", "g", "h", "h"];
      const with3 = everything(
        outcomeInput([...two, 9], [...ids, "g"], { mask: [1, 1, 1, 1, 1], eligible: [1, 1, 1, 1, 0] }),
      );
      const a = compute(name, everything(outcomeInput(two, ids))).advantages;
      const b = compute(name, with3).advantages;
      a.forEach((x, r) => {
        expect(b[r]).to.be.closeTo(x, 1e-12);
      });
      expect(b[4]).to.equal(0);
    });

    it(`${name}: does not care about the order of rows`, () => {
      const input = everything(outcomeInput([1, 0, 0.5, 2, 0.25, 4], ["g", "g", "h", "h", "g", "h"]));
      const order = [4, 2, 0, 5, 3, 1];
      const shuffled = everything(
        outcomeInput(
          order.map((i) => [1, 0, 0.5, 2, 0.25, 4][i]),
          order.map((i) => input.groupIds[i]),
        ),
      );
      const [a, b] = [compute(name, input).advantages, compute(name, shuffled).advantages];
      order.forEach((from, to) => {
        expect(b[to]).to.be.closeTo(a[from], 1e-12);
      });
    });
  }

  it("say what they need before they run", () => {
    expect(estimator("gae").needs).to.deep.equal(["values"]);
    expect(() => compute("gae", outcomeInput([1, 2], ["a", "b"]))).to.throw(/needs values/);
    expect(() => compute("remax", outcomeInput([1], ["a"]))).to.throw(/greedy response/);
    expect(() => compute("optimal_token_baseline", outcomeInput([1], ["a"]))).to.throw(/calculate_sum_pi_squared/);
    expect(() => compute("grpo_passk", outcomeInput([1], ["a"]))).to.throw(/rollout\.n/);
    expect(() => compute("gae", { ...outcomeInput([1], ["a"]), values: [0] })).to.throw(/TOO_FEW_TOKENS/);
  });

  it("gdpo names a reward component that is missing", () => {
    const input = { ...outcomeInput([1, 2], ["a", "a"]), rewardComponents: { acc: [1, 0] } };
    expect(() => compute("gdpo", input)).to.throw(/gdpo_reward_keys/);
    expect(() => compute("gdpo", input, { gdpo_reward_keys: ["format"] })).to.throw(/"format"/);
    expect(() => compute("gdpo", input, { gdpo_reward_keys: ["acc"], gdpo_reward_weights: [1, 2] })).to.throw(
      /one number/,
    );
  });

  it("gae skips tokens that the policy did not write", () => {
    const input: AdvantageInput = {
      responseOffsets: Int32Array.of(0, 4),
      responseMask: [1, 0, 0, 1],
      tokenLevelRewards: [0, 5, 5, 1],
      values: [0.5, 9, 9, 0.25],
      groupIds: ["g"],
    };
    const { returns } = estimator("gae").compute(input, advantageConfig({ gamma: 0.5, lam: 1 }));
    expect(returns[3]).to.equal(1);
    expect(returns[0]).to.equal(0.5);
  });
});

describe("groups and resampling", () => {
  it("rank labels, and take numeric ones as they are only when asked", () => {
    expect(groupIndex(["10", "2", "10"])).to.deep.equal([0, 1, 0]);
    expect(groupIndex(["10", "2", "10"], { numericAsIs: true })).to.deep.equal([10, 2, 10]);
  });

  it("draw rows in proportion to their PF-PPO weights", () => {
    const weights = pfPpoWeights([1, -1, 0, 0.5], "max_min");
    const random = new RandomStream(1, "pf");
    const drawn = Array.from({ length: 200 }, () => drawRows(weights, random)).flat();
    expect(new Set(drawn)).to.deep.equal(new Set([0, 1]));
    expect(drawn.filter((r) => r === 0).length / drawn.length).to.be.closeTo(0.5, 0.06);
  });
});
