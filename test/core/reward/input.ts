import type { Tokenizer } from "../../../core/plugin.js";
import type { RewardInput, RewardManagerOptions } from "../../../core/reward/index.js";
import { createFakeSandbox } from "../../../testing/index.js";

export const rewardInput = (over: Partial<RewardInput> = {}): RewardInput => ({
  key: "u1_0_0",
  dataSource: "test",
  solution: "42",
  groundTruth: "42",
  extraInfo: {},
  promptIds: [1],
  responseIds: [2],
  row: {},
  origin: "train.jsonl:12",
  ...over,
});

export const managerOptions = (over: Partial<RewardManagerOptions> = {}): RewardManagerOptions => ({
  tokenizer: {} as Tokenizer,
  customFunction: null,
  rewardKwargs: {},
  findScorer: () => null,
  knownDataSources: [],
  sandbox: async () => createFakeSandbox(),
  deadlineMs: 10_000,
  maxConcurrent: 4,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  ...over,
});
