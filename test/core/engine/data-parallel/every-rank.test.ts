import { expect } from "chai";
import { onEveryRank } from "../../../../core/engine/data-parallel/every-rank.js";

const stopped = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(new Error("stopped"))));

describe("core/engine onEveryRank", () => {
  it("runs on all at once and keeps their order", async () => {
    let waiting = 0;
    let open = () => {};
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const results = await onEveryRank(["a", "b", "c"], undefined, async (rank, index) => {
      if (++waiting === 3) open();
      await all;
      return `${rank}${index}`;
    });
    expect(results).to.deep.equal(["a0", "b1", "c2"]);
  });

  it("stops the others when one fails, waits for them, and throws what came first", async () => {
    const cause = new Error("out of memory");
    const ended: number[] = [];
    const error = await onEveryRank([0, 1, 2], undefined, async (rank, _, signal) => {
      if (rank === 1) throw cause;
      try {
        await stopped(signal);
      } finally {
        ended.push(rank);
      }
    }).catch((e) => e);
    expect(error).to.equal(cause);
    expect(ended).to.have.members([0, 2]);
  });

  it("hands on an abort from outside", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const run = onEveryRank([0, 1], controller.signal, async (_rank, _index, signal) => {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      throw signal?.reason;
    });
    controller.abort(reason);
    expect(await run.catch((e) => e)).to.equal(reason);
  });
});
