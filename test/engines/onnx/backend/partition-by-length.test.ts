import { expect } from "chai";
import fc from "fast-check";
import { packSequences } from "../../../../core/plugin.js";
import { partitionByLength } from "../../../../engines/onnx/backend/partition-by-length.js";

const MODEL = { numHeads: 2, numLayers: 3, layers: [{ window: null, rope: 0, attentionScale: 1 }] };

function batchOf(lengths: readonly number[]) {
  return packSequences(lengths.map((n) => ({ promptIds: [0], responseIds: Array<number>(n - 1).fill(1) })));
}

describe("engines/onnx/backend partition by length", () => {
  it("leaves a batch whole that fits", () => {
    expect(partitionByLength(batchOf([4, 9, 2]), 1, MODEL, 1e6)).to.deep.equal([[0, 1, 2]]);
  });

  it("puts a long sequence apart from short ones", () => {
    const bytes = 100 ** 2 * 6 * 4;
    expect(partitionByLength(batchOf([10, 100, 12, 11]), 1, MODEL, bytes)).to.deep.equal([[1], [0, 2, 3]]);
  });

  it("leaves long sequences together, which attention takes in blocks", () => {
    expect(partitionByLength(batchOf([900, 1000]), 1, MODEL, 2 ** 23)).to.deep.equal([[0, 1]]);
  });

  it("keeps every part in bounds or down to one group, and every row once", () => {
    const anyBatch = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(anyBatch, fc.constantFrom(1, 2), fc.integer({ min: 1, max: 1e5 }), (lengths, groupSize, bytes) => {
        const even = lengths.slice(0, lengths.length - (lengths.length % groupSize));
        const parts = partitionByLength(batchOf(even), groupSize, MODEL, bytes);
        expect(parts.flat().sort((a, b) => a - b)).to.deep.equal(even.map((_, i) => i));
        for (const rows of parts) {
          const longest = Math.max(...rows.map((row) => even[row]));
          if (rows.length > groupSize) expect(rows.length * longest ** 2 * 6 * 4).to.be.at.most(bytes);
          for (const row of rows) expect(rows).to.include(row - (row % groupSize));
        }
      }),
    );
  });
});
