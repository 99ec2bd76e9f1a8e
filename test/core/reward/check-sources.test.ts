import { expect } from "chai";
import type { Row } from "../../../core/plugin.js";
import {
  checkDataSources,
  createNaiveRewardManager,
  createScorerIndex,
  gsm8kScorer,
} from "../../../core/reward/index.js";
import { managerOptions } from "./input.js";

const dataset = (...rows: Row[]) => ({
  length: rows.length,
  at: (i: number) => ({ messages: [], row: rows[i], origin: `train.jsonl:${i + 1}` }),
});
const { find, knownDataSources } = createScorerIndex([gsm8kScorer]);
const manager = createNaiveRewardManager(managerOptions({ findScorer: find, knownDataSources }));

describe("check of data sources", () => {
  it("passes a dataset whose rows can all be scored", () => {
    checkDataSources(manager, dataset({ data_source: "openai/gsm8k" }, { data_source: "openai/gsm8k" }));
  });

  it("names the row and the known sources", () => {
    expect(() => checkDataSources(manager, dataset({ data_source: "openai/gsm8k" }, { data_source: "my/data" })))
      .to.throw("VERL_REWARD_NO_SCORER")
      .with.property("message")
      .that.contains('"my/data"')
      .and.contains("train.jsonl:2")
      .and.contains("openai/gsm8k")
      .and.contains("reward.custom_reward_function.path");
  });

  it("says that the column is missing", () => {
    for (const row of [{}, { data_source: "" }, { data_source: null }] as Row[]) {
      expect(() => checkDataSources(manager, dataset(row))).to.throw("the row has no data_source");
    }
  });

  it("leaves out rows that need no scorer, and none of their source that does", () => {
    const rows = dataset({ data_source: "my/data", scored: true }, { data_source: "my/data" });
    checkDataSources(manager, dataset({ data_source: "my/data", scored: true }), "data_source", (row) => !row.scored);
    expect(() => checkDataSources(manager, rows, "data_source", (row) => !row.scored)).to.throw("train.jsonl:2");
  });

  it("needs no column when the user brings a function", () => {
    const custom = createNaiveRewardManager(managerOptions({ customFunction: () => 1 }));
    checkDataSources(custom, dataset({}, { data_source: "anything" }));
  });
});
