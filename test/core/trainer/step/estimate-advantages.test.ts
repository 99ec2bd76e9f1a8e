import { expect } from "chai";
import { isVerlError } from "../../../../core/host/errors.js";
import type { AdvantageEstimator } from "../../../../core/plugin.js";
import { estimateAdvantages } from "../../../../core/trainer/step/estimate-advantages.js";

const INPUT = {
  responseOffsets: Int32Array.of(0, 2, 3),
  responseMask: [1, 0, 1],
  tokenLevelRewards: [0, 0, 1],
  groupIds: ["a", "a"],
  keys: ["a_0_0", "a_1_0"],
  eligible: [1, 0],
};

function estimate(compute: () => unknown) {
  const estimator = { name: "mine", needs: [], compute } as unknown as AdvantageEstimator;
  return estimateAdvantages(estimator, INPUT, { gamma: 1, lam: 1, normAdvByStd: true, extra: {} });
}

function refusal(compute: () => unknown): string {
  try {
    estimate(compute);
  } catch (error) {
    if (isVerlError(error) && error.code === "VERL_TRAINER_ESTIMATOR_FAILED") return `${error.what}: ${error.why}`;
    throw error;
  }
  throw new Error("it was accepted");
}
const both = (values: unknown) => () => ({ advantages: values, returns: values });

describe("core/trainer estimateAdvantages", () => {
  it("hands on finite arrays of the batch's length", () => {
    expect(estimate(both(Float32Array.of(1, 2, 3))).advantages).to.deep.equal(Float32Array.of(1, 2, 3));
  });

  it("does not mind what stands where no loss reads: under the mask, and in trajectories without a part", () => {
    expect(() => estimate(both(Float32Array.of(1, Number.NaN, Infinity)))).not.to.throw();
  });

  it("refuses NaN and infinity, and names the token", () => {
    expect(refusal(both(Float32Array.of(Number.NaN, 0, 0)))).to.equal(
      "the advantage estimator mine gave advantages that are not finite: NaN at response token 0 of trajectory a_0_0",
    );
    expect(refusal(both(Float64Array.of(-Infinity, 0, 0)))).to.include("-Infinity at response token 0");
  });

  it("refuses arrays of another length", () => {
    expect(refusal(both(new Float32Array(2)))).to.equal(
      "the advantage estimator mine gave 2 advantages: the batch has 3 response tokens, and each has one",
    );
  });

  it("refuses what is no result: nothing, lists, a promise", () => {
    for (const result of [undefined, null, 5, { advantages: [1, 2, 3], returns: [1, 2, 3] }, Promise.resolve({})])
      expect(refusal(() => result)).to.include("gave no advantages: compute returns { advantages, returns }");
  });

  it("names the estimator that throws", () => {
    const boom = () => {
      throw new Error("boom");
    };
    expect(refusal(boom)).to.equal("the advantage estimator mine failed: Error: boom");
  });
});
