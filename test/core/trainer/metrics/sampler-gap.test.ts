import { expect } from "chai";
import { gapMetrics, samplerGap } from "../../../../core/trainer/metrics/sampler-gap.js";

describe("core/trainer/metrics/sampler-gap", () => {
  it("measures masked tokens only", () => {
    const gap = samplerGap([-1, -2, -9], [-1.5, -2, 0], [1, 1, 0]);
    expect(gap).to.deep.equal({ mean: 0.25, p999: 0.5, max: 0.5, tokens: 2 });
  });

  it("takes the 99.9th percentile by nearest rank", () => {
    const trainer = Array.from({ length: 2000 }, (_, i) => -i);
    const gap = samplerGap(trainer, new Float32Array(2000), new Float32Array(2000).fill(1));
    expect(gap.p999).to.equal(1997);
    expect(gap.max).to.equal(1999);
  });

  it("says so when nothing was compared", () => {
    expect(gapMetrics([-1], [-1], [0])["training/rollout_probs_diff_valid"]).to.equal(0);
  });

  it("correlates probabilities and leaves an undefined correlation out", () => {
    const metrics = gapMetrics([-1, -2, -3], [-1, -2, -3], [1, 1, 1]);
    expect(metrics["training/rollout_actor_probs_pearson_corr"]).to.be.closeTo(1, 1e-12);
    expect(metrics["training/rollout_probs_diff_max"]).to.equal(0);
    expect(gapMetrics([-1, -1], [-1, -1], [1, 1])).to.not.have.property("training/rollout_actor_probs_pearson_corr");
  });
});
