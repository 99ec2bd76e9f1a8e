import { expect } from "chai";
import fc from "fast-check";
import { BoundedSeries } from "../../../../core/tracking/page/bounded-series.js";
import { SampleStore } from "../../../../core/tracking/page/sample-store.js";
import { linearScale, logScale, stepTicks } from "../../../../core/tracking/page/scale.js";
import { fakeTrajectory } from "../../../../testing/index.js";

const moderate = fc.double({ min: -1e300, max: 1e300, noNaN: true }).map((value) => value + 0);
const extreme = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);

describe("bounded series", () => {
  it("keeps every value of a short run", () => {
    const series = new BoundedSeries(4);
    for (const step of [1, 2, 3]) series.push(step, step * 10);
    expect(series.points()).to.deep.equal([1, 2, 3].map((step) => ({ step, value: step * 10 })));
  });

  it("merges neighbours of a long run, keeping the first and the latest value", () => {
    const series = new BoundedSeries(4);
    for (let step = 1; step <= 5; step++) series.push(step, step);
    expect(series.stride).to.equal(2);
    expect(series.points()).to.deep.equal([
      { step: 1, value: 1 },
      { step: 2, value: 1.5 },
      { step: 4, value: 3.5 },
      { step: 5, value: 5 },
    ]);
  });

  it("is bounded, ordered and within the range of its values, whatever it is fed", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(moderate, extreme), { maxLength: 300 }), (values) => {
        const series = new BoundedSeries(16);
        values.forEach((value, i) => {
          series.push(i, value);
        });
        const finite = values.filter(Number.isFinite);
        const points = series.points();
        expect(series.nonFinite).to.equal(values.length - finite.length);
        expect(points.length).to.be.at.most(18);
        expect(points.map((p) => p.step)).to.deep.equal([...new Set(points.map((p) => p.step))].sort((a, b) => a - b));
        if (finite.length > 0) {
          expect([points[0].value, points.at(-1)?.value]).to.deep.equal([finite[0], finite.at(-1)]);
          expect(series.max?.value).to.equal(Math.max(...finite));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("sample store", () => {
  const steps = (store: SampleStore) => [...new Set(store.all().map((s) => s.step))];

  it("keeps the first step, the latest ones, and fewer between", () => {
    const store = new SampleStore({ steps: 6 });
    for (let step = 1; step <= 200; step++) store.add([fakeTrajectory({ step })]);
    const kept = steps(store);
    expect(kept).to.have.length(6);
    expect(kept[0]).to.equal(1);
    expect(kept.slice(-2)).to.deep.equal([199, 200]);
    expect(kept[2]).to.be.lessThan(197);
  });

  it("keeps a few trajectories of a step, cut to a length", () => {
    const store = new SampleStore({ perStep: 2, tokens: 3, characters: 5 });
    const record = fakeTrajectory({ tokens: ["a", "b", "c", "d"], mask: [1, 0, 1, 1], promptText: "0123456789" });
    store.add([record, record, record]);
    expect(store.all()).to.have.length(2);
    expect(store.all()[0]).to.deep.include({ tokens: ["a", "b", "c"], mask: "101", more: 1, prompt: "01234…" });
  });

  it("shows a response whose tokens are not known as one piece", () => {
    const store = new SampleStore();
    store.add([fakeTrajectory({ tokens: [], mask: [], responseText: "42." })]);
    expect(store.all()[0]).to.deep.include({ tokens: ["42."], mask: "1", logProbs: null });
  });
});

describe("chart scales", () => {
  it("put round numbers on the axis", () => {
    expect(linearScale(0.12, 0.93, 100, 0, true).ticks.map((t) => t.toFixed(2))).to.deep.equal([
      "0.00",
      "0.50",
      "1.00",
    ]);
    expect(logScale(2e-7, 5e-5, 100, 0).ticks).to.deep.equal([1e-7, 1e-6, 1e-5, 1e-4]);
    expect(stepTicks(1, 60)).to.deep.equal([20, 40, 60]);
    expect(stepTicks(3, 3)).to.deep.equal([3]);
    expect(stepTicks(0, 2)).to.deep.equal([0, 1, 2]);
  });

  it("have room for a constant", () => {
    for (const value of [0, 5, -2]) {
      const { at, ticks } = linearScale(value, value, 100, 0, true);
      expect(at(value)).to.be.within(0, 100);
      expect(ticks.length).to.be.greaterThan(1);
    }
  });

  it("have few ticks, all different, whatever the values, also where only rounding parts them", () => {
    const near = fc.tuple(moderate, fc.integer({ min: 0, max: 8 })).map(([value, ulps]) => {
      const other = value + Math.abs(value) * ulps * Number.EPSILON;
      return [Math.min(value, other), Math.max(value, other)];
    });
    const any = fc.tuple(moderate, moderate).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
    fc.assert(
      fc.property(fc.oneof(near, any), fc.boolean(), ([low, high], round) => {
        const { at, ticks } = linearScale(low, high, 100, 0, round);
        expect(ticks.length).to.be.within(1, 12);
        expect(new Set(ticks).size).to.equal(ticks.length);
        expect(at(low)).to.be.within(-1e-6, 100 + 1e-6);
      }),
    );
  });
});
