import { expect } from "chai";
import { checkRowSampling, MAX_ROW_SESSIONS } from "../../../../core/data/index.js";
import type { JsonValue } from "../../../../core/host/types.js";

const rows = (...all: readonly Readonly<Record<string, JsonValue>>[]) => ({
  length: all.length,
  at: (i: number) => ({ messages: [], row: all[i], origin: `train.jsonl:${i + 1}` }),
});

describe("columns of a row that say how it is sampled", () => {
  it("are a number of sessions and whether to sample, or nothing", () => {
    const data = rows({}, { __rollout_n__: null, __do_sample__: null }, { __rollout_n__: 1, __do_sample__: false });
    checkRowSampling([data, rows({ __rollout_n__: MAX_ROW_SESSIONS })]);
  });

  for (const value of [0, -2, 1.5, 1e9, Number.NaN, "many", "4", true, [2]] as const) {
    it(`refuse ${String(JSON.stringify(value))} sessions with file and line`, () => {
      expect(() => checkRowSampling([rows({}, { __rollout_n__: value as JsonValue })]))
        .to.throw("VERL_DATA_BAD_ROW")
        .with.property("where")
        .that.matches(/^train\.jsonl:2 has .+ in column __rollout_n__: expected a whole number from 1 to 10,000$/);
    });
  }

  it("refuse what is neither true nor false in __do_sample__", () => {
    expect(() => checkRowSampling([rows({ __do_sample__: "no" })]))
      .to.throw("VERL_DATA_BAD_ROW")
      .with.property("where", 'train.jsonl:1 has "no" in column __do_sample__: expected true or false');
  });
});
