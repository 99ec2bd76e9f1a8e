import assert from "node:assert/strict";
import type { AdvantageConfig, AdvantageEstimator, AdvantageInput } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

const CONFIG: AdvantageConfig = { gamma: 1, lam: 1, normAdvByStd: true, extra: {} };

/** Two prompts with three samples each, interleaved; outcome rewards on the last token of every row. */
function groups(rewards: readonly number[] = [1, 0, 0, 2, 1, 0]): AdvantageInput {
  const tokens = 2 * rewards.length;
  const tokenLevelRewards = new Float64Array(tokens);
  rewards.forEach((reward, b) => {
    tokenLevelRewards[2 * b + 1] = reward;
  });
  return {
    responseOffsets: Int32Array.from({ length: rewards.length + 1 }, (_, b) => 2 * b),
    responseMask: new Float32Array(tokens).fill(1),
    tokenLevelRewards,
    groupIds: rewards.map((_, b) => (b % 2 === 0 ? "a" : "b")),
    oldLogProb: new Float32Array(tokens).fill(-1),
    values: new Float32Array(tokens),
    sumPiSquared: new Float32Array(tokens).fill(0.5),
    rewardBaselines: new Float32Array(rewards.length),
  };
}

/** What every advantage estimator must do. */
export function advantageConformance(estimator: AdvantageEstimator): ConformanceCase[] {
  const compute = (input: AdvantageInput) => estimator.compute(input, CONFIG);
  return [
    {
      name: "gives a finite advantage and return for every token",
      async run() {
        const { advantages, returns } = compute(groups());
        assert.equal(advantages.length, 12);
        assert.equal(returns.length, 12);
        assert.ok([...advantages, ...returns].every(Number.isFinite));
      },
    },
    {
      name: "does not change what it is given",
      async run() {
        const input = groups();
        compute(input);
        assert.deepEqual(input, groups());
      },
    },
    {
      name: "gives the same numbers twice",
      async run() {
        assert.deepEqual(compute(groups()), compute(groups()));
      },
    },
    {
      name: "prefers the better sample of a group",
      async run() {
        const { advantages } = compute(groups());
        assert.ok(advantages[0] >= advantages[4], "a sample with reward 1 is worth less than one with 0");
      },
    },
  ];
}
