import { expect } from "chai";
import fc from "fast-check";
import { nearestIndex, smooth } from "../../../cli/dashboard/web/smooth.js";
import { State } from "../../../cli/dashboard/web/state.js";

const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const weight = fc.double({ min: 0, max: 0.99, noNaN: true });

describe("verl dashboard: smoothing", () => {
  it("changes nothing with weight 0", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (values) => {
        expect(smooth(values, 0)).to.deep.equal(values);
      }),
    );
  });

  it("leaves a constant as it is", () => {
    fc.assert(
      fc.property(fc.nat({ max: 50 }), weight, finite, (count, weight, constant) => {
        for (const value of smooth(Array(count).fill(constant), weight)) {
          expect(value).to.be.closeTo(constant, 1e-6 * (1 + Math.abs(constant)));
        }
      }),
    );
  });

  it("stays within the values before it", () => {
    fc.assert(
      fc.property(
        fc.array(finite, { minLength: 1 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (values, weight) => {
          smooth(values, weight).forEach((value, i) => {
            const before = values.slice(0, i + 1);
            expect(value).to.be.within(Math.min(...before) - 1e-3, Math.max(...before) + 1e-3);
          });
        },
      ),
    );
  });

  it("finds the nearest value", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 1 }), fc.integer(), (values, wanted) => {
        const sorted = values.sort((a, b) => a - b);
        const found = sorted[nearestIndex(sorted, wanted)];
        expect(Math.abs(found - wanted)).to.equal(Math.min(...sorted.map((value) => Math.abs(value - wanted))));
      }),
    );
  });
});

describe("verl dashboard: state of the page", () => {
  it("keeps any text in the address", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        let hash = "";
        new State("", (written) => {
          hash = written;
        }).set({ filter: text });
        expect(new State(hash, () => {}).get("filter")).to.equal(text);
      }),
    );
  });

  it("tells listeners what has changed, and nothing where nothing has", () => {
    const state = new State("#view=rollouts&step=3", () => {});
    const heard: string[][] = [];
    state.onChange((changed) => heard.push([...changed]));
    state.set({ view: "rollouts", step: "" });
    state.set({ step: "" });
    expect(heard).to.deep.equal([["step"]]);
    expect(state.number("step", 7)).to.equal(7);
  });
});
