import { expect } from "chai";
import fc from "fast-check";
import { kthLargest } from "../../../core/algorithms/kth-largest.js";
import { indices, sortByKey } from "../../../core/algorithms/sort-by-key.js";

const numbers = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 40 });

describe("order of indices", () => {
  it("is that of their keys, equal ones in their own order or in the one that is asked for", () => {
    fc.assert(
      fc.property(numbers, (keys) => {
        const ids = (precedes?: (a: number, b: number) => boolean) => [
          ...sortByKey(indices(keys.length), Float64Array.from(keys), precedes),
        ];
        const plain = [...keys.keys()];
        expect(ids()).to.deep.equal([...plain].sort((a, b) => keys[a] - keys[b] || a - b));
        expect(ids((a, b) => a > b)).to.deep.equal([...plain].sort((a, b) => keys[a] - keys[b] || b - a));
      }),
      { seed: 2 },
    );
  });

  it("gives the k-th largest, and nothing where there are fewer", () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 45 }), (values, k) => {
        const sorted = [...values].sort((a, b) => b - a);
        expect(kthLargest(Float64Array.from(values), k)).to.equal(sorted[k - 1] ?? Number.NEGATIVE_INFINITY);
      }),
      { seed: 3 },
    );
  });
});
