import { expect } from "chai";
import fc from "fast-check";
import { balancedPartitions, greedyPartition } from "../../../core/algorithms/karmarkar-karp.js";
import { inverseOrder, planMicroBatches, restoreOrder } from "../../../core/algorithms/micro-batches.js";
import { balanceRanks, balanceRanksByGroup, unbalanceReport } from "../../../core/algorithms/seqlen-balancing.js";

const sum = (values: readonly number[], part: readonly number[]) => part.reduce((total, i) => total + values[i], 0);
const spread = (values: readonly number[], parts: readonly number[][]) => {
  const sums = parts.map((part) => sum(values, part));
  return Math.max(...sums) - Math.min(...sums);
};
const lengths = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 60 });

describe("Karmarkar–Karp partitioning", () => {
  it("uses every item once, leaves no part empty, and is never worse than twice the largest item", () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 8 }), fc.boolean(), (values, k, equalSize) => {
        fc.pre(equalSize ? values.length % k === 0 : values.length >= k);
        const parts = balancedPartitions(values, k, { equalSize });
        expect(parts.flat().sort((a, b) => a - b)).to.deep.equal(values.map((_, i) => i));
        if (equalSize) expect(new Set(parts.map((p) => p.length)).size).to.equal(1);
        expect(parts.every((p) => p.length > 0)).to.equal(true);
        if (!equalSize) expect(spread(values, parts)).to.be.at.most(Math.max(...values));
      }),
      { seed: 1 },
    );
  });

  it("beats the greedy order on a classic example", () => {
    const values = [4, 5, 6, 7, 8];
    expect(spread(values, balancedPartitions(values, 2))).to.equal(2);
    expect(spread(values, greedyPartition(values, 2))).to.equal(6);
  });

  it("handles very many equal items without quadratic work", () => {
    const parts = balancedPartitions(new Array(20000).fill(7), 16, { equalSize: true });
    expect(parts.map((p) => p.length)).to.deep.equal(new Array(16).fill(1250));
  });

  it("says why parts cannot be made", () => {
    expect(() => balancedPartitions([3, 4], 3)).to.throw(/2 items cannot fill 3 parts/);
    expect(() => balancedPartitions([1, 2, 3], 2, { equalSize: true })).to.throw(/3 = 1 × 2 \+ 1/);
  });
});

describe("balancing over ranks", () => {
  it("gives ranks equal counts and keeps groups together", () => {
    const ids = ["a", "a", "b", "b", "c", "c", "d", "d"];
    const parts = balanceRanksByGroup([9, 9, 1, 1, 8, 8, 2, 2], ids, 2);
    for (const part of parts) {
      expect(part.length).to.equal(4);
      expect(part.map((i) => ids[i]).filter((id, i, all) => all.indexOf(id) !== i).length).to.equal(2);
    }
    expect(() => balanceRanksByGroup([1, 1, 1], ["a", "b", "a"], 1)).to.throw(/not neighbours/);
  });

  it("reports token sums before and after", () => {
    const values = [10, 10, 1, 1];
    const report = unbalanceReport(values, balanceRanks(values, 2), "global_seqlen");
    expect(report).to.deep.equal({
      "global_seqlen/min": 2,
      "global_seqlen/max": 20,
      "global_seqlen/minmax_diff": 18,
      "global_seqlen/balanced_min": 11,
      "global_seqlen/balanced_max": 11,
      "global_seqlen/mean": 11,
    });
  });
});

describe("micro-batch planning", () => {
  it("never exceeds the budget, loses no row, and keeps groups together", () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 9000 }), (values, g, extra) => {
        const rows = values.slice(0, values.length - (values.length % g));
        fc.pre(rows.length > 0);
        const groups = rows.map((_, i) => rows.slice(i - (i % g), i - (i % g) + g).reduce((a, b) => a + b, 0));
        const maxTokens = Math.max(...groups) + extra;
        const parts = planMicroBatches(rows, { maxTokens, groupSize: g });
        expect(parts.flat().sort((a, b) => a - b)).to.deep.equal(rows.map((_, i) => i));
        for (const part of parts) {
          expect(sum(rows, part)).to.be.at.most(maxTokens);
          part.forEach((row, i) => {
            if (row % g > 0) expect(part[i - 1]).to.equal(row - 1);
          });
        }
        expect(restoreOrder(parts.flat(), parts)).to.deep.equal(rows.map((_, i) => i));
      }),
      { seed: 2 },
    );
  });

  it("splits further where the reference's plan would burst the budget", () => {
    const values = [100, 60, 60, 60, 60, 60];
    const loose = planMicroBatches(values, { maxTokens: 134, strict: false });
    expect(Math.max(...loose.map((part) => sum(values, part)))).to.be.above(134);
    const strict = planMicroBatches(values, { maxTokens: 134 });
    expect(Math.max(...strict.map((part) => sum(values, part)))).to.be.at.most(134);
  });

  it("obeys a least number and a multiple", () => {
    expect(planMicroBatches([1, 1, 1, 1, 1, 1], { maxTokens: 100, minMicroBatches: 3 }).length).to.equal(3);
    expect(planMicroBatches([1, 1, 1, 1, 1, 1], { maxTokens: 2, multipleOf: 2 }).length).to.equal(4);
    expect(() => planMicroBatches([1, 1], { maxTokens: 100, minMicroBatches: 3 })).to.throw(/only 2 sequences/);
  });

  it("refuses a sequence longer than the budget, by row", () => {
    expect(() => planMicroBatches([3, 9], { maxTokens: 8 })).to.throw(/row 1 has 9 tokens/);
  });

  it("puts small micro-batches at both ends", () => {
    const parts = planMicroBatches([50, 40, 30, 20, 10], { maxTokens: 50, minMicroBatches: 5 });
    expect(parts.map((p) => p[0])).to.deep.equal([4, 2, 0, 1, 3]);
  });

  it("inverts the order", () => {
    expect(inverseOrder([[2, 0], [1]])).to.deep.equal([1, 2, 0]);
  });
});
