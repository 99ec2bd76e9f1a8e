import { expect } from "chai";
import type { PromptLoader, Sampler } from "../../../../core/data/index.js";
import { createPromptLoader, nextDraw } from "../../../../core/data/index.js";
import { codedError, numberedRows } from "../support.js";

const loader = (rows: number, batchSize: number, shuffle = true, seed = 1) =>
  createPromptLoader({ dataset: numberedRows(rows), batchSize, shuffle, seed });
const take = (from: PromptLoader, count: number) => Array.from({ length: count }, () => from.next());
const indices = (from: PromptLoader, count: number) => take(from, count).map((draw) => draw.index);

describe("core/data/rows/prompt-loader", () => {
  it("counts draws over passes and hands out the row with its place", () => {
    const draws = take(loader(2, 1, false), 5);
    expect(draws.map(({ draw, index, epoch }) => [draw, index, epoch])).to.deep.equal([
      [0, 0, 0],
      [1, 1, 0],
      [2, 0, 1],
      [3, 1, 1],
      [4, 0, 2],
    ]);
    expect(draws[3].item.row.n).to.equal(1);
  });

  it("skips what does not fill a batch at the end of a pass", () => {
    const ordered = loader(10, 4, false);
    expect(ordered.stepsPerEpoch).to.equal(2);
    expect(indices(ordered, 16)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
    const epochs = take(loader(10, 4), 24).map((draw) => draw.epoch);
    expect(epochs).to.deep.equal([0, 1, 2].flatMap((epoch) => Array(8).fill(epoch)));
  });

  it("ends a pass after the same number of rows however they are asked for", () => {
    const one = loader(10, 4);
    expect(take(one, 9).at(-1)?.epoch).to.equal(1);
  });

  // T30: 60 rows, batch 1, save, resume, run one more epoch.
  for (const [name, saveAt] of [
    ["at an epoch boundary", 60],
    ["in the middle of an epoch", 30],
    ["before the first row", 0],
  ] as const) {
    it(`hands out the same rows after resuming ${name} as an uninterrupted run`, () => {
      const saved = loader(60, 1);
      take(saved, saveAt);
      const state = JSON.parse(JSON.stringify(saved.state()));
      const resumed = loader(60, 1, true, 999);
      resumed.restore(state);
      const uninterrupted = loader(60, 1);
      take(uninterrupted, saveAt);
      expect(take(resumed, 120 - saveAt)).to.deep.equal(take(uninterrupted, 120 - saveAt));
      expect(resumed.draw).to.equal(120);
    });
  }

  it("hands out each row of the second epoch exactly once after resuming at the boundary", () => {
    const saved = loader(60, 1);
    take(saved, 60);
    const resumed = loader(60, 1);
    resumed.restore(saved.state());
    const second = take(resumed, 60);
    expect(new Set(second.map((draw) => draw.index)).size).to.equal(60);
    expect(second.every((draw) => draw.epoch === 1)).to.equal(true);
  });

  it("resumes within a pass whose end is skipped", () => {
    for (let at = 0; at <= 16; at++) {
      const saved = loader(10, 4);
      take(saved, at);
      const resumed = loader(10, 4);
      resumed.restore(saved.state());
      expect(take(resumed, 20)).to.deep.equal(take(saved, 20));
    }
  });

  it("shows the arithmetic when the data does not fill a batch", async () => {
    const error = await codedError("VERL_DATA_TOO_SMALL", () => loader(3, 4));
    expect(error.message).to.include("3 usable rows").and.include("train_batch_size = 4").and.include("rows.jsonl");
  });

  it("refuses the state of another data set", async () => {
    const error = await codedError("VERL_DATA_STATE_MISMATCH", () => loader(10, 1).restore(loader(9, 1).state()));
    expect(error.what).to.include("9 rows, this one has 10");
  });

  describe("with a sampler of somebody else's", () => {
    /** Draws the row that was told last. */
    const follower = () => {
      let last = 0;
      return {
        epoch: 0,
        next: () => last,
        state: () => ({ last }),
        restore(state: unknown) {
          last = (state as { last: number }).last;
          if (typeof last !== "number") throw new TypeError("no such row");
        },
        update: (outcomes: readonly { readonly index: number }[]) => {
          last = outcomes.at(-1)!.index;
        },
      };
    };
    const own = (name = "follower", sampler: Sampler = follower()) =>
      createPromptLoader({
        dataset: numberedRows(10),
        batchSize: 4,
        shuffle: true,
        seed: 1,
        sampler: { name, sampler },
      });

    it("hands out what it draws, and tells it of results", () => {
      const from = own();
      expect(from.isFixed).to.equal(false);
      expect(from.next().index).to.equal(0);
      from.update([{ index: 7, scores: [1] }]);
      expect(from.next()).to.deep.include({ index: 7, draw: 1 });
      const resumed = own();
      resumed.restore(JSON.parse(JSON.stringify(from.state())));
      expect(resumed.next()).to.deep.include({ index: 7, draw: 2 });
    });

    it("refuses rows that there are not", async () => {
      const error = await codedError("VERL_DATA_SAMPLER", () => own("far", { ...follower(), next: () => 10 }).next());
      expect(error.what).to.include('"far" drew row 10 of a data set of 10 rows');
    });

    it("goes on from its own state alone", async () => {
      const other = await codedError("VERL_DATA_STATE_MISMATCH", () => own().restore(own("other").state()));
      expect(other.what).to.include('"other"').and.include('"follower"');
      const order = await codedError("VERL_DATA_STATE_MISMATCH", () =>
        loader(10, 4, true).restore(loader(10, 4, false).state()),
      );
      expect(order.what).to.include('"sequential"').and.include('"random"');
      const bad = { ...own().state(), sampler: {} };
      expect((await codedError("VERL_DATA_STATE_MISMATCH", () => own().restore(bad))).why).to.include("no such row");
    });

    it("is not foretold, unlike the built-in orders", () => {
      const from = loader(10, 4);
      take(from, 3);
      const { draw, index, epoch } = from.next();
      expect(nextDraw(stateAfter(loader(10, 4), 3), false)).to.deep.equal({ draw, index, epoch });
      expect(nextDraw(own().state(), true)).to.deep.equal({ draw: 0, index: null, epoch: null });
    });

    it("takes states of before samplers had names", () => {
      const { samplerName: _, ...old } = stateAfter(loader(10, 4), 3);
      const resumed = loader(10, 4);
      resumed.restore(old);
      expect(resumed.next()).to.deep.equal(take(loader(10, 4), 4)[3]);
    });
  });
});

function stateAfter(from: PromptLoader, draws: number) {
  take(from, draws);
  return from.state();
}
