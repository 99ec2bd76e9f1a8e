import { expect } from "chai";
import fc from "fast-check";
import { sparkline } from "../../../core/tracking/index.js";

const curve = (...values: number[]) => values.map((value, step) => ({ step, value }));

describe("core/tracking/sparkline", () => {
  it("draws low to high, one column a step while they fit", () => {
    expect(sparkline(curve(0, 1, 2, 3, 4, 5, 6, 7), 20)).to.equal("▁▂▃▄▅▆▇█");
    expect(sparkline(curve(0, 0, 7, 7), 2)).to.equal("▁█");
  });

  it("leaves out what is not finite, and columns without points", () => {
    expect(sparkline(curve(0, Number.NaN, 1), 20)).to.equal("▁ █");
    expect(sparkline([], 20)).to.equal("");
  });

  it("draws a constant curve in the middle, and several on one scale", () => {
    expect(sparkline(curve(3, 3), 20)).to.equal("▅▅");
    expect(sparkline(curve(1, 1), 20, { values: [0, 2], steps: [0, 3] })).to.equal("▅▅  ");
  });

  it("is never wider than asked", () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (values, width) => {
        expect(sparkline(curve(...values), width).length).to.be.at.most(width);
      }),
    );
  });
});
