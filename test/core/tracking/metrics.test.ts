import { expect } from "chai";
import fc from "fast-check";
import { dataMetrics } from "../../../core/tracking/data-metrics.js";
import { combineMetrics, combineRanks } from "../../../core/tracking/metrics.js";
import { MetricsAggregator, reduceByName, ruleOf } from "../../../core/tracking/metrics-aggregator.js";
import { speculativeMetrics, timingMetrics } from "../../../core/tracking/performance-metrics.js";

describe("metric reduction by declared type", () => {
  it("sums, keeps extremes, and weighs means by their tokens", () => {
    const one = { loss: { value: 1, reduction: "sum" as const, weight: 3 } };
    const mean = (value: number, weight: number) => ({ value, reduction: "mean" as const, weight });
    const out = combineMetrics([
      { ...one, kl: mean(1, 30), top: { value: 4, reduction: "max", weight: 1 } },
      { ...one, kl: mean(2, 10), top: { value: 2, reduction: "max", weight: 1 } },
      { ...one, kl: mean(Number.NaN, 0) },
    ]);
    expect(out.loss.value).to.equal(3);
    expect(out.kl).to.deep.equal({ value: 1.25, reduction: "mean", weight: 40 });
    expect(out.top.value).to.equal(4);
  });

  it("does not depend on the order of micro-batches, nor on combining in stages", () => {
    const values = fc.array(
      fc.record({ value: fc.double({ min: -9, max: 9, noNaN: true }), weight: fc.integer({ min: 1, max: 50 }) }),
      { minLength: 2, maxLength: 6 },
    );
    fc.assert(
      fc.property(values, fc.constantFrom("sum", "mean", "min", "max"), (list, reduction) => {
        const parts = list.map((v) => ({ m: { ...v, reduction } as const }));
        const whole = combineMetrics(parts).m.value;
        expect(combineMetrics([...parts].reverse()).m.value).to.be.closeTo(whole, 1e-9);
        const staged = combineMetrics([combineMetrics(parts.slice(0, 1)), combineMetrics(parts.slice(1))]);
        expect(staged.m.value).to.be.closeTo(whole, 1e-9);
      }),
      { seed: 4 },
    );
  });

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

  it("take lengths from raw tokens, not from the mask, and advantages from tokens that count", () => {
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
