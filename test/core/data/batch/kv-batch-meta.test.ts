import { expect } from "chai";
import fc from "fast-check";
import type { KVBatchMeta } from "../../../../core/data/index.js";
import {
  chunkKeys,
  concatKeys,
  kvBatchLength,
  kvBatchMeta,
  reorderKeys,
  selectKeys,
} from "../../../../core/data/index.js";
import { codedError } from "../support.js";

const batch = (n: number, changes: Partial<KVBatchMeta> = {}) => {
  const keys = Array.from({ length: n }, (_, i) => `u${i}_0_0`);
  return kvBatchMeta({ partition: "train", keys, tags: keys.map((_, i) => ({ i })), fields: ["ids"], ...changes });
};

describe("core/data/batch/kv-batch-meta", () => {
  it("demands unique keys with one tag each", async () => {
    const code = "VERL_BATCH_MISMATCH";
    await codedError(code, () => kvBatchMeta({ partition: "train", keys: ["a", "a"] }));
    await codedError(code, () => kvBatchMeta({ partition: "train", keys: ["a"], tags: [] }));
  });

  it("selects and reorders keys with their tags", async () => {
    expect(selectKeys(batch(3), ["u2_0_0", "u0_0_0"]).tags).to.deep.equal([{ i: 2 }, { i: 0 }]);
    expect(reorderKeys(batch(3), [2, 0, 1]).keys).to.deep.equal(["u2_0_0", "u0_0_0", "u1_0_0"]);
    await codedError("VERL_BATCH_UNKNOWN_COLUMN", () => selectKeys(batch(1), ["b"]));
    for (const order of [
      [0, 0, 1],
      [0, 1],
      [0, 1, 3],
      [0, 1, 0.5],
    ]) {
      await codedError("VERL_BATCH_INDEX", () => reorderKeys(batch(3), order));
    }
  });

  it("gives the remainder to the first chunks", () => {
    expect(chunkKeys(batch(8), 3).map(kvBatchLength)).to.deep.equal([3, 3, 2]);
    expect(chunkKeys(batch(1), 3).map(kvBatchLength)).to.deep.equal([1, 0, 0]);
  });

  it("restores a batch by concatenating its chunks", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 8 }), (n, count) => {
        expect(concatKeys(chunkKeys(batch(n), count))).to.deep.equal(batch(n));
      }),
    );
  });

  it("leaves empty batches out of a concatenation, whatever their partition", () => {
    const empty = batch(0, { partition: "val", fields: [] });
    expect(concatKeys([empty, batch(2), empty])).to.deep.equal(batch(2));
    expect(concatKeys([empty])).to.deep.equal(empty);
  });

  it("refuses to join what disagrees", async () => {
    const other = (changes: Partial<KVBatchMeta>) =>
      kvBatchMeta({ partition: "train", keys: ["x"], fields: ["ids"], ...changes });
    const code = "VERL_BATCH_MISMATCH";
    await codedError(code, () => concatKeys([batch(1), other({ partition: "val" })]));
    await codedError(code, () => concatKeys([batch(1), other({ fields: ["ids", "more"] })]));
    await codedError(code, () => concatKeys([batch(1), batch(1)]));
    const [one, two] = [batch(1, { extraInfo: { t: 1 } }), other({ extraInfo: { t: 2 } })];
    await codedError(code, () => concatKeys([one, two]));
    await codedError(code, () => concatKeys([]));
    expect(concatKeys([one, other({ extraInfo: { u: 2 } })]).extraInfo).to.deep.equal({ t: 1, u: 2 });
  });

  it("does not share extraInfo", () => {
    const extraInfo = { nested: { n: 1 } };
    const made = batch(1, { extraInfo });
    extraInfo.nested.n = 2;
    const [chunk] = chunkKeys(made, 1);
    (chunk.extraInfo.nested as { n: number }).n = 3;
    expect(made.extraInfo).to.deep.equal({ nested: { n: 1 } });
  });
});
