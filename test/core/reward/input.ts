import type { RewardInput } from "../../../core/reward/index.js";

export { rewardManagerOptions as managerOptions } from "../../../testing/index.js";

export const rewardInput = (over: Partial<RewardInput> = {}): RewardInput => ({
  key: "u1_0_0",
  dataSource: "test",
  solution: "42",
  groundTruth: "42",
  extraInfo: {},
  promptIds: [1],
  responseIds: [2],
  messages: [{ role: "user", content: "6 * 7?" }],
  row: {},
  origin: "train.jsonl:12",
  ...over,
});
