import { expect } from "chai";
import fc from "fast-check";
import { combineMetrics } from "../../../core/algorithms/combine-metrics.js";

describe("metrics of micro-batches", () => {
  it("sums, keeps extremes, and weighs means by their tokens", () => {
    const one = { loss: { value: 1, reduction: "sum" as const, weight: 3 } };
    const mean = (value: number, weight: number) => ({ value, reduction: "mean" as const, weight });
    const out = combineMetrics([
      { ...one, kl: mean(1, 30), top: { value: 4, reduction: "max", weight: 1 } },
      { ...one, kl: mean(2, 10), top: { value: 2, reduction: "max", weight: 1 } },
      { ...one, kl: mean(Number.NaN, 0), top: { value: Number.NaN, reduction: "max", weight: 0 } },
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
});
