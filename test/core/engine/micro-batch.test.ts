import { expect } from "chai";
import fc from "fast-check";
import { packSequences } from "../../../core/data/index.js";
import { splitBatch } from "../../../core/engine/index.js";
import { mergeOutputs, selectOutputs } from "../../../core/engine/micro-batch.js";

function batchOf(lengths: readonly (readonly [number, number])[]) {
  let n = 0;
  const ids = (count: number) => Array.from({ length: count }, () => n++);
  return packSequences(lengths.map(([p, r]) => ({ promptIds: ids(p), responseIds: ids(r) })));
}

const anyLengths = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 })), {
  minLength: 1,
  maxLength: 20,
});

describe("core/engine micro-batches", () => {
  it("never exceed the token budget, and hold every sequence once", () => {
    fc.assert(
      fc.property(anyLengths, fc.integer({ min: 18, max: 60 }), (lengths, budget) => {
        const parts = splitBatch(batchOf(lengths), { maxTokensPerMicroBatch: budget });
        for (const { batch } of parts) expect(batch.inputIds.length).to.be.at.most(budget);
        const rows = parts.flatMap((part) => part.rows).sort((a, b) => a - b);
        expect(rows).to.deep.equal(lengths.map((_, i) => i));
      }),
    );
  });

  it("bring outputs back to the batch's order, and gradients to the part's", () => {
    fc.assert(
      fc.property(anyLengths, fc.integer({ min: 1, max: 5 }), (lengths, microBatchSize) => {
        const batch = batchOf(lengths);
        const tokens = batch.responseOffsets[batch.size];
        const values = { logProb: Float32Array.from({ length: tokens }, (_, i) => i) };
        const merged = {};
        for (const part of splitBatch(batch, { microBatchSize })) {
          mergeOutputs(merged, batch, part, selectOutputs(values, batch, part));
        }
        expect(merged).to.deep.equal(values);
      }),
    );
  });

  it("keep pairs together", () => {
    const batch = batchOf([
      [1, 8],
      [1, 1],
      [1, 2],
      [1, 2],
    ]);
    for (const options of [{ maxTokensPerMicroBatch: 12 }, { microBatchSize: 2 }]) {
      const parts = splitBatch(batch, options, "pair");
      expect(parts.map((p) => [...p.rows]).sort()).to.deep.equal([
        [0, 1],
        [2, 3],
      ]);
    }
    expect(() => splitBatch(batch, { microBatchSize: 3 }, "pair")).to.throw("VERL_ENGINE_BAD_BATCH");
  });

  it("are cut further as the backend wishes", () => {
    const batch = batchOf([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
    ]);
    const partition = ({ size }: { size: number }) => (size < 2 ? [] : [[1], [0]]);
    const parts = splitBatch(batch, { microBatchSize: 2 }, "token", { partition });
    expect(parts.map((p) => p.rows)).to.deep.equal([[1], [0], [3], [2]]);
    expect(parts.map((p) => p.batch.inputIds.length)).to.deep.equal([3, 2, 5, 4]);
  });

  it("are refused when a sequence alone is over the budget", () => {
    expect(() => splitBatch(batchOf([[5, 6]]), { maxTokensPerMicroBatch: 10 })).to.throw("VERL_ALGORITHMS_OVER_BUDGET");
  });
});
