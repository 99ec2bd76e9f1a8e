import { expect } from "chai";
import { dataMetrics } from "../../../core/tracking/data-metrics.js";
import { combineRanks } from "../../../core/tracking/metrics.js";
import { MetricsAggregator, reduceByName, ruleOf } from "../../../core/tracking/metrics-aggregator.js";
import { speculativeMetrics, timingMetrics } from "../../../core/tracking/performance-metrics.js";

describe("metrics over ranks", () => {
  it("averages sums over ranks, step by step, and refuses ranks that ran a different number", () => {
    expect(
      combineRanks(
        [
          [1, 2],
          [3, 5],
        ],
        "sum",
      ),
    ).to.equal(5.5);
    expect(
      combineRanks(
        [
          [1, 2],
          [3, 5],
        ],
        "max",
      ),
    ).to.equal(5);
    expect(() => combineRanks([[1], [1, 2]], "mean")).to.throw(/VERL_TRACKING_UNEVEN_RANKS/);
  });

  it("follows the reference's names where that is asked for", () => {
    expect(reduceByName({ loss: [1, 3], "len/max": [1, 3], gap_min: [1, 3] })).to.deep.equal({
      loss: 2,
      "len/max": 3,
      gap_min: 1,
    });
  });
});

describe("metrics over the local updates of a step", () => {
  it("take the last step number and rate, sum times and counts, and weigh the rest by rows", () => {
    const aggregator = new MetricsAggregator();
    aggregator.add({ "training/global_step": 3, "actor/lr": 1, "timing_s/gen": 2, "actor/ppo_kl": 1, on: true }, 1);
    aggregator.add({ "training/global_step": 4, "actor/lr": 2, "timing_s/gen": 3, "actor/ppo_kl": 5, late: 7 }, 3);
    expect(aggregator.result()).to.deep.equal({
      "training/global_step": 4,
      "actor/lr": 2,
      "timing_s/gen": 5,
      "actor/ppo_kl": 4,
      late: 7,
    });
  });

  it("know which rule a name falls under", () => {
    expect(
      ["training/filter_groups/evicted_samples", "perf/total_num_tokens", "response_length/max"].map(ruleOf),
    ).to.deep.equal(["sum", "sum", "max"]);
  });
});

describe("metrics of a batch", () => {
  const batch = {
    responseOffsets: Int32Array.of(0, 2, 2, 5, 6),
    responseMask: [1, 1, 1, 0, 1, 0],
    promptLengths: [3, 4, 4, 2],
    tokenLevelScores: [0, 1, 0, 0, 3, Number.NaN],
    tokenLevelRewards: [0, 1, 0, 0, 2, Number.NaN],
    advantages: [1, 1, -2, 99, -2, 99],
    returns: [1, 1, -2, 99, -2, 99],
  };

  it("leave aborted and abstaining rows out of scores, and say how many", () => {
    const m = dataMetrics(batch);
    expect(m["critic/score/mean"]).to.equal(2);
    expect(m["critic/rewards/max"]).to.equal(2);
    expect(m["response/aborted_ratio"]).to.equal(0.25);
    expect(m["reward/abstained_ratio"]).to.equal(0.25);
  });

  it("row 30: take lengths from raw tokens, not from the mask, and advantages from tokens that count", () => {
    const m = dataMetrics(batch, { maxResponseLength: 3, maxPromptLength: 8 });
    expect(m["response_length/mean"]).to.equal(1.5);
    expect(m["response_length_non_aborted/min"]).to.equal(1);
    expect(m["response_length/clip_ratio"]).to.equal(0.25);
    expect(m["prompt_length/clip_ratio"]).to.equal(0);
    expect(m["critic/advantages/min"]).to.equal(-2);
    expect(m["critic/advantages/max"]).to.equal(1);
  });

  it("explain the critic's variance", () => {
    const m = dataMetrics({ ...batch, values: batch.returns });
    expect(m["critic/vf_explained_var"]).to.be.closeTo(1, 1e-9);
  });
});

describe("performance metrics", () => {
  it("divide generation by response tokens and the rest by all tokens", () => {
    const m = timingMetrics({ gen: 2, ref: 1, step: 4 }, { response: 100, total: 400 });
    expect(m["timing_per_token_ms/gen"]).to.equal(20);
    expect(m["timing_per_token_ms/ref"]).to.equal(2.5);
    expect(m).to.not.have.property("timing_per_token_ms/step");
  });

  it("report nothing about speculation that did not happen", () => {
    expect(speculativeMetrics([])).to.deep.equal({});
  });
});
