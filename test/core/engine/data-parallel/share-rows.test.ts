import { expect } from "chai";
import fc from "fast-check";
import { sequenceWorkload } from "../../../../core/algorithms/index.js";
import { shareRows } from "../../../../core/engine/index.js";

function batchOf(lengths: readonly number[]) {
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, b) => {
    offsets[b + 1] = offsets[b] + length;
  });
  return { size: lengths.length, offsets };
}

const lengthLists = fc.array(fc.integer({ min: 1, max: 4096 }), { maxLength: 40 });

describe("core/engine shareRows", () => {
  it("gives every row to one rank, in ascending order, and groups whole", () => {
    fc.assert(
      fc.property(lengthLists, fc.integer({ min: 1, max: 9 }), fc.constantFrom(1, 2), (lengths, ranks, groupSize) => {
        const shares = shareRows(batchOf(lengths), ranks, groupSize);
        expect(shares).to.have.lengthOf(ranks);
        expect(shares.flat().sort((a, b) => a - b)).to.deep.equal(lengths.map((_, row) => row));
        for (const share of shares) {
          expect(share).to.deep.equal(share.toSorted((a, b) => a - b));
          if (groupSize === 1) continue;
          for (const row of share)
            expect(row % 2 === 1 || row + 1 >= lengths.length || share.includes(row + 1)).to.equal(true);
        }
      }),
    );
  });

  it("gives ranks work that differs by at most one sequence's", () => {
    fc.assert(
      fc.property(lengthLists, fc.integer({ min: 2, max: 8 }), (lengths, ranks) => {
        const work = shareRows(batchOf(lengths), ranks).map((rows) =>
          rows.reduce((sum, row) => sum + sequenceWorkload(lengths[row]), 0),
        );
        const largest = lengths.reduce((max, length) => Math.max(max, sequenceWorkload(length)), 0);
        expect(Math.max(...work) - Math.min(...work)).to.be.at.most(largest);
      }),
    );
  });

  it("balances tokens where a plain cut would not", () => {
    const lengths = [900, 800, 700, 600, 100, 100, 100, 100];
    const tokens = shareRows(batchOf(lengths), 2).map((rows) => rows.reduce((sum, row) => sum + lengths[row], 0));
    expect(tokens).to.deep.equal([1700, 1700]);
  });
});
