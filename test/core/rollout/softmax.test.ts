import { expect } from "chai";
import fc from "fast-check";
import { expNonPositive, softmaxWeights } from "../../../core/rollout/softmax.js";

describe("expNonPositive", () => {
  it("agrees with the exact value to 1e-15 relative", () => {
    fc.assert(
      fc.property(fc.double({ min: -700, max: 0, noNaN: true }), (x) => {
        const exact = Math.exp(x);
        expect(Math.abs(expNonPositive(x) - exact) / exact).to.be.below(1e-15);
      }),
      { numRuns: 2000 },
    );
  });

  it("is exactly 1 at 0 and 0 far below", () => {
    expect([expNonPositive(0), expNonPositive(-0), expNonPositive(-1000), expNonPositive(-Infinity)]).to.deep.equal([
      1, 1, 0, 0,
    ]);
    expect(expNonPositive(Number.NaN)).to.be.NaN;
  });
});

describe("softmaxWeights", () => {
  it("finds the first maximum and scales by the temperature", () => {
    const weights = new Float64Array(3);
    const { argMax, max, sum } = softmaxWeights(Float32Array.of(1, 3, 3), 2, weights);
    expect([argMax, max]).to.deep.equal([1, 3]);
    expect(sum).to.be.closeTo(2 + Math.exp(-1), 1e-15);
    expect(weights[0]).to.be.closeTo(Math.exp(-1), 1e-15);
  });
});
