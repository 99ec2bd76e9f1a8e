import { expect } from "chai";
import fc from "fast-check";
import { DataProto, floatTensor, intTensor } from "../../../../core/data/index.js";
import { codedError } from "../support.js";

/** Row i holds i everywhere: as a row of `ids` [B, 2], in `x` [B] and in the column `name`. */
function numbered(rows: readonly number[], meta: Record<string, unknown> = { tag: { deep: [1] } }): DataProto {
  return new DataProto({
    tensors: {
      ids: intTensor(
        rows.flatMap((n) => [n, 10 * n]),
        [rows.length, 2],
      ),
      x: floatTensor(rows),
    },
    columns: { name: rows.map((n) => `row ${n}`) },
    meta,
  });
}
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
/** The numbers of a batch's rows, after a check that all its parts agree. */
function rowsOf(batch: DataProto): number[] {
  const rows = Array.from(batch.tensors.x.data as Float32Array);
  expect(batch.length).to.equal(rows.length);
  expect(batch.tensors.ids.shape).to.deep.equal([rows.length, 2]);
  expect(Array.from(batch.tensors.ids.data as Int32Array)).to.deep.equal(rows.flatMap((n) => [n, 10 * n]));
  expect(batch.columns.name).to.deep.equal(rows.map((n) => `row ${n}`));
  return rows;
}

const size = fc.integer({ min: 1, max: 12 });
const runs = { numRuns: 40 };

describe("core/data/batch/data-proto", () => {
  it("demands one first dimension and one meaning for a name", async () => {
    const code = "VERL_BATCH_MISMATCH";
    await codedError(code, () => new DataProto({ tensors: { a: floatTensor([1]), b: floatTensor([1, 2]) } }));
    await codedError(code, () => new DataProto({ tensors: { a: floatTensor([1]) }, columns: { b: [1, 2] } }));
    await codedError(code, () => new DataProto({ tensors: { a: floatTensor([1]) }, columns: { a: [1] } }));
    await codedError(code, () => floatTensor([1, 2, 3], [2, 2]));
    expect(new DataProto({ meta: { n: 1 } }).length).to.equal(0);
  });

  it("gives single rows without the batch dimension", async () => {
    const item = numbered([3, 4]).item(1);
    expect(item.tensors.ids).to.deep.equal({ dtype: "i32", shape: [2], data: Int32Array.of(4, 40) });
    expect(item.tensors.x.shape).to.deep.equal([]);
    expect(item.columns).to.deep.equal({ name: "row 4" });
    for (const index of [-1, 2, 0.5]) await codedError("VERL_BATCH_INDEX", () => numbered([3, 4]).item(index));
  });

  it("slices like an array", () => {
    fc.assert(
      fc.property(size, fc.integer({ min: -15, max: 15 }), fc.integer({ min: -15, max: 15 }), (n, start, end) => {
        expect(rowsOf(numbered(range(n)).slice(start, end))).to.deep.equal(range(n).slice(start, end));
      }),
      runs,
    );
  });

  it("picks rows by index and by mask", async () => {
    const batch = numbered(range(4));
    expect(rowsOf(batch.index([2, 0, 2]))).to.deep.equal([2, 0, 2]);
    expect(rowsOf(batch.mask([true, false, false, true]))).to.deep.equal([0, 3]);
    expect(rowsOf(batch.mask(Float32Array.of(0, 1, 1, 0)))).to.deep.equal([1, 2]);
    expect(rowsOf(batch.mask([false, false, false, false]))).to.deep.equal([]);
    await codedError("VERL_BATCH_INDEX", () => batch.index([4]));
    await codedError("VERL_BATCH_INDEX", () => batch.mask([true]));
  });

  it("selects and pops by name, and names what is missing", async () => {
    const batch = numbered(range(2), { a: 1, b: 2 });
    const selected = batch.select(["x", "name"], { meta: ["b"] });
    expect(selected.names).to.deep.equal(["x", "name"]);
    expect(selected.meta).to.deep.equal({ b: 2 });
    const { popped, rest } = batch.pop(["ids"]);
    expect([popped.names, rest.names]).to.deep.equal([["ids"], ["x", "name"]]);
    expect(rest.meta).to.deep.equal({ a: 1, b: 2 });
    const error = await codedError("VERL_BATCH_UNKNOWN_COLUMN", () => batch.select(["y"]));
    expect(error.why).to.include("ids, x, name");
    await codedError("VERL_BATCH_UNKNOWN_COLUMN", () => batch.select(["x"], { meta: ["c"] }));
  });

  it("renames, swaps included, and lets no column vanish", async () => {
    const batch = numbered(range(2));
    const swapped = batch.rename({ x: "name", name: "x" });
    expect(swapped.columns.x).to.deep.equal(["row 0", "row 1"]);
    expect(swapped.tensors.name.data).to.deep.equal(Float32Array.of(0, 1));
    await codedError("VERL_BATCH_MISMATCH", () => batch.rename({ x: "ids" }));
    await codedError("VERL_BATCH_UNKNOWN_COLUMN", () => batch.rename({ y: "z" }));
  });

  it("unites columns and meta that agree, NaN with NaN", async () => {
    const a = new DataProto({
      tensors: { p: floatTensor([Number.NaN, 1]) },
      columns: { c: [Number.NaN, {}] },
      meta: { m: Number.NaN },
    });
    const b = new DataProto({
      tensors: { p: floatTensor([Number.NaN, 1]), q: intTensor([1, 2]) },
      columns: { c: [Number.NaN, {}] },
      meta: { m: Number.NaN, n: 1 },
    });
    const united = a.union(b);
    expect(united.names).to.deep.equal(["p", "q", "c"]);
    expect(united.meta).to.deep.equal({ m: Number.NaN, n: 1 });
    const code = "VERL_BATCH_MISMATCH";
    await codedError(code, () => a.union(new DataProto({ tensors: { p: floatTensor([0, 1]) } })));
    await codedError(code, () => a.union(new DataProto({ tensors: { p: intTensor([0, 1]) } })));
    await codedError(code, () => a.union(new DataProto({ columns: { c: [1, 2] } })));
    await codedError(code, () => a.union(new DataProto({ columns: { d: [1] } })));
    await codedError(code, () => a.union(new DataProto({ meta: { m: 0 } })));
  });

  it("cuts into equal chunks only, unless they may be uneven", async () => {
    const batch = numbered(range(7));
    await codedError("VERL_BATCH_INDEX", () => batch.chunk(3));
    expect(batch.chunk(3, { uneven: true }).map(rowsOf)).to.deep.equal([[0, 1, 2], [3, 4, 5], [6]]);
    expect(numbered(range(6)).chunk(3).map(rowsOf)).to.deep.equal([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(batch.split(3).map(rowsOf)).to.deep.equal([[0, 1, 2], [3, 4, 5], [6]]);
    await codedError("VERL_BATCH_INDEX", () => batch.split(0));
  });

  it("is restored by concatenating its parts", () => {
    fc.assert(
      fc.property(size, size, (n, part) => {
        const batch = numbered(range(n));
        expect(rowsOf(DataProto.concat(batch.split(part)))).to.deep.equal(range(n));
        expect(rowsOf(DataProto.concat(batch.chunk(part, { uneven: true })))).to.deep.equal(range(n));
        expect(DataProto.concat(batch.split(part)).meta).to.deep.equal(batch.meta);
      }),
      runs,
    );
  });

  it("gathers metrics into lists when it concatenates, in any grouping", async () => {
    const [a, b, c] = [{ loss: 1 }, { loss: 2, lr: 0.1 }, [{ loss: 3 }, { loss: 4 }]].map((metrics) =>
      numbered([0], { step: 1, metrics }),
    );
    const expected = { step: 1, metrics: { loss: [1, 2, 3, 4], lr: [0.1] } };
    expect(DataProto.concat([a, b, c]).meta).to.deep.equal(expected);
    expect(DataProto.concat([DataProto.concat([a, b]), c]).meta).to.deep.equal(expected);
    expect(DataProto.concat([a, DataProto.concat([b, c])]).meta).to.deep.equal(expected);
  });

  it("refuses to concatenate what disagrees", async () => {
    const code = "VERL_BATCH_MISMATCH";
    const one = numbered([0]);
    await codedError(code, () => DataProto.concat([]));
    await codedError(code, () => DataProto.concat([one, one.select(["x"])]));
    await codedError(code, () => DataProto.concat([one, numbered([1], { tag: 2 })]));
    const wide = new DataProto({
      tensors: { ids: intTensor([1, 2, 3], [1, 3]), x: floatTensor([1]) },
      columns: { name: [""] },
    });
    await codedError(code, () => DataProto.concat([one, wide]));
  });

  it("repeats rows in both orders and row by row", async () => {
    const batch = numbered([0, 1]);
    expect(rowsOf(batch.repeat(2))).to.deep.equal([0, 0, 1, 1]);
    expect(rowsOf(batch.repeat(2, { interleave: false }))).to.deep.equal([0, 1, 0, 1]);
    expect(rowsOf(numbered([0, 1, 2]).sampleLevelRepeat([2, 0, 1]))).to.deep.equal([0, 0, 2]);
    await codedError("VERL_BATCH_INDEX", () => batch.sampleLevelRepeat([1]));
    await codedError("VERL_BATCH_INDEX", () => batch.sampleLevelRepeat([1, -1]));
  });

  it("reorders by a permutation only", async () => {
    expect(rowsOf(numbered(range(3)).reorder([2, 0, 1]))).to.deep.equal([2, 0, 1]);
    await codedError("VERL_BATCH_INDEX", () => numbered(range(3)).reorder([0, 0, 1]));
    await codedError("VERL_BATCH_INDEX", () => numbered(range(3)).reorder([0, 1]));
  });

  it("iterates over mini-batches, every row once an epoch, the same for the same seed", async () => {
    const batch = numbered(range(6));
    const rows = (options: { seed?: number; shuffle?: boolean }) =>
      [...batch.makeIterator({ miniBatchSize: 2, epochs: 2, ...options })].map(rowsOf);
    expect(rows({})).to.deep.equal([
      [0, 1],
      [2, 3],
      [4, 5],
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    const shuffled = rows({ seed: 1, shuffle: true });
    for (const epoch of [shuffled.slice(0, 3), shuffled.slice(3)]) {
      expect(epoch.flat().sort()).to.deep.equal(range(6));
    }
    expect(rows({ seed: 1, shuffle: true })).to.deep.equal(shuffled);
    expect(rows({ seed: 2, shuffle: true })).to.not.deep.equal(shuffled);
    await codedError("VERL_BATCH_INDEX", () => batch.makeIterator({ miniBatchSize: 4, epochs: 1 }));
  });

  it("pads cyclically from the start and drops the padding again", async () => {
    fc.assert(
      fc.property(size, size, (n, divisor) => {
        const { batch, padSize } = numbered(range(n)).padToDivisor(divisor);
        expect(batch.length % divisor).to.equal(0);
        expect(padSize).to.be.lessThan(divisor);
        expect(rowsOf(batch)).to.deep.equal(range(n + padSize).map((i) => i % n));
        expect(rowsOf(batch.unpad(padSize))).to.deep.equal(range(n));
      }),
      runs,
    );
    await codedError("VERL_BATCH_INDEX", () => numbered([]).padToDivisor(2));
    await codedError("VERL_BATCH_INDEX", () => numbered([1]).unpad(2));
  });

  it("never shares meta, whatever the operation", () => {
    const operations: ((batch: DataProto) => DataProto | readonly DataProto[])[] = [
      (batch) => batch.slice(0, 2),
      (batch) => batch.index([0]),
      (batch) => batch.select(["x"]),
      (batch) => batch.select(["x"], { meta: ["tag"] }),
      (batch) => Object.values(batch.pop(["x"])),
      (batch) => batch.rename({ x: "y" }),
      (batch) => batch.union(numbered(range(4))),
      (batch) => batch.chunk(2),
      (batch) => batch.split(3),
      (batch) => DataProto.concat([batch, batch]),
      (batch) => batch.repeat(2),
      (batch) => batch.reorder([3, 2, 1, 0]),
      (batch) => [...batch.makeIterator({ miniBatchSize: 2, epochs: 2 })],
      (batch) => batch.padToDivisor(3).batch,
      (batch) => batch.unpad(0),
      (batch) => new DataProto(batch),
    ];
    const given = { tag: { deep: [1] } };
    const batch = numbered(range(4), given);
    given.tag.deep.push(2);
    for (const operation of operations) {
      for (const result of [operation(batch)].flat()) {
        expect(result.meta, String(operation)).to.deep.equal({ tag: { deep: [1] } });
        (result.meta.tag as { deep: number[] }).deep.push(9);
      }
    }
    (batch.item(0).meta.tag as { deep: number[] }).deep.push(9);
    expect(batch.meta).to.deep.equal({ tag: { deep: [1] } });
  });

  it("refuses meta that cannot be copied", async () => {
    await codedError("VERL_BATCH_MISMATCH", () => new DataProto({ meta: { f: () => 1 } }));
  });
});
