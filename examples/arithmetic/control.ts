import { type AdvantageInput, builtinAdvantageEstimators, definePlugin, hashText, RandomStream } from "verl-ts";

/**
 * The control experiment as a plugin: GRPO with the rewards of each group dealt out at random among its samples. Every
 * group keeps its mean and spread, so updates are as large as in the real run, but they point nowhere. If accuracy rose
 * all the same, it would not be the reward that raised it.
 */
export const control = definePlugin({
  name: "arithmetic-control",
  apiVersion: "^1.0.0",
  provides: ["advantageEstimator"],
  register(host) {
    const grpo = builtinAdvantageEstimators.find((estimator) => estimator.name === "grpo")!;
    host.advantageEstimators.register({
      name: "grpo_shuffled",
      needs: [],
      compute: (input, config) => grpo.compute({ ...input, tokenLevelRewards: dealtOut(input) }, config),
    });
  },
});

/** Permute the outcome rewards within each group; the permutation depends on the groups' names alone. */
function dealtOut({ tokenLevelRewards, responseOffsets, groupIds }: AdvantageInput): Float64Array {
  const rows = new Map<string, number[]>();
  groupIds.forEach((group, b) => {
    rows.set(group, [...(rows.get(group) ?? []), b]);
  });
  const shuffled = new Float64Array(tokenLevelRewards.length);
  for (const [group, members] of rows) {
    const outcomes = members.map((b) => outcomeOf(b));
    const order = new RandomStream(hashText(group), "control").shuffled(outcomes);
    members.forEach((b, i) => {
      if (responseOffsets[b + 1] > responseOffsets[b]) shuffled[responseOffsets[b + 1] - 1] = order[i];
    });
  }
  return shuffled;

  function outcomeOf(b: number): number {
    let sum = 0;
    for (let r = responseOffsets[b]; r < responseOffsets[b + 1]; r++) sum += tokenLevelRewards[r];
    return sum;
  }
}
