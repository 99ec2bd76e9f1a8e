import { expect } from "chai";
import { bestOf, bootstrap, majorityValue, passAtK, worstOf } from "../../../core/tracking/resampling.js";
import {
  nameValidationMetrics,
  validationStandardErrors,
  validationStatistics,
} from "../../../core/tracking/validation-metrics.js";

const samples = {
  dataSources: ["s", "s", "s", "s", "s", "s", "s", "s"],
  uids: ["a", "a", "a", "a", "b", "b", "b", "b"],
  variables: {
    acc: [1, 0, 0, 0, 1, 1, 1, 1],
    reward: [2, 0, 0, 0, 2, 2, 2, 2],
    pred: ["x", "y", "y", "y", "x", "x", "x", "x"],
  },
};

describe("validation statistics", () => {
  it("average prompts, then name the headline of the core variable apart", () => {
    const named = nameValidationMetrics(validationStatistics(samples));
    expect(named["val-core/s/acc/mean@4"]).to.equal(0.625);
    expect(named).to.include.keys(
      "val-core/s/acc/best@4/mean",
      "val-core/s/acc/best@4/std",
      "val-core/s/acc/maj@4/mean",
      "val-aux/s/acc/best@2/mean",
      "val-aux/s/acc/worst@4/mean",
      "val-aux/s/acc/std@4",
      "val-aux/s/reward/mean@4",
    );
    expect(Object.keys(named).some((name) => name.includes("/pred/"))).to.equal(false);
  });

  it("fall back to reward as the core variable", () => {
    const { acc: _, ...variables } = samples.variables;
    expect(nameValidationMetrics(validationStatistics({ ...samples, variables }))).to.have.property(
      "val-core/s/reward/mean@4",
      1.25,
    );
  });

  it("log no best or worst of a single response", () => {
    const one = { dataSources: ["s"], uids: ["a"], variables: { acc: [1] } };
    expect(nameValidationMetrics(validationStatistics(one))).to.deep.equal({ "val-core/s/acc/mean@1": 1 });
  });

  it("skip values that abstained, and prompts that have no other", () => {
    const out = validationStatistics({
      dataSources: ["s", "s", "s", "s"],
      uids: ["a", "a", "b", "b"],
      variables: { acc: [1, null, null, null] },
    });
    expect(out.s.acc["mean@2"]).to.equal(1);
  });

  it("give the same numbers whatever other prompts are there", () => {
    const pick = (uid: string) => {
      const keep = samples.uids.map((u) => u === uid);
      const of = <T>(xs: readonly T[]) => xs.filter((_, i) => keep[i]);
      const variables = Object.fromEntries(
        Object.entries(samples.variables).map(([k, v]) => [k, of<number | string>(v)]),
      );
      return validationStatistics({ dataSources: of(samples.dataSources), uids: of(samples.uids), variables }).s.acc;
    };
    const whole = validationStatistics(samples).s.acc;
    for (const name of Object.keys(whole)) {
      expect((pick("a")[name] + pick("b")[name]) / 2).to.be.closeTo(whole[name], 1e-12);
    }
  });
});

describe("validation standard errors", () => {
  it("are of the mean over prompts, however many responses each of them has", () => {
    const errors = validationStandardErrors({
      dataSources: ["d", "d", "d", "d", "d", "d", "e"],
      uids: ["a", "a", "b", "b", "c", "c", "x"],
      variables: { acc: [1, 1, 0, 1, null, 0, 1], pred: ["1", "2", "1", "2", "1", "2", "1"] },
    });
    // Means 1, 0.5, 0: variance 0.25 over three prompts. One prompt of "e" has none, nor have texts.
    expect(Object.keys(errors)).to.deep.equal(["val-aux/d/acc/mean@2/stderr"]);
    expect(errors["val-aux/d/acc/mean@2/stderr"]).to.be.closeTo(Math.sqrt(0.25 / 3), 1e-12);
  });
});

describe("resampling", () => {
  it("best and worst are the limits of their bootstrap", () => {
    const values = [0.3, -1, 2, 0.5];
    const draws: number[][] = [];
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) draws.push([i, j, k]);
    const all = bootstrap(draws, (drawn) => Math.max(...drawn.map((i) => values[i])));
    expect(bestOf(values, 3).mean).to.be.closeTo(all.mean, 1e-12);
    expect(bestOf(values, 3).std).to.be.closeTo(all.std, 1e-12);
    expect(worstOf(values, 1).mean).to.be.closeTo(0.45, 1e-12);
  });

  it("a majority tie goes to the answer seen first, with its first value", () => {
    expect(majorityValue(["b", "a", "a", "b"], [1, 2, 3, 4])).to.equal(1);
  });

  it("pass@k is unbiased: the share of k-subsets with a right answer", () => {
    expect(passAtK(4, 1, 2)).to.be.closeTo(0.5, 1e-12);
    expect(passAtK(4, 0, 2)).to.equal(0);
    expect(passAtK(4, 3, 2)).to.equal(1);
  });
});
