import { getEventListeners } from "node:events";
import { expect } from "chai";
import {
  type BatchRewardFunction,
  createBatchRewardManager,
  type RewardFunction,
} from "../../../../core/reward/index.js";
import { managerOptions, rewardInput } from "../input.js";

const batchManager = (score: BatchRewardFunction, over: Parameters<typeof managerOptions>[0] = {}) =>
  createBatchRewardManager(
    managerOptions({
      batch: { maxSize: 4, maxWaitMs: 5 },
      ...over,
      customFunction: score as unknown as RewardFunction,
    }),
  );

const solutions = (...texts: string[]) => texts.map((solution) => rewardInput({ solution }));

describe("batch reward manager", () => {
  it("hands lists of at most `max_size` to the function, the rest after `max_wait_ms`", async () => {
    const sizes: number[] = [];
    const manager = batchManager((samples) => {
      sizes.push(samples.length);
      return samples.map(({ solution }) => Number(solution));
    });
    const results = await Promise.all(solutions("0", "1", "2", "3", "4", "5").map((input) => manager.score(input)));
    expect(sizes).to.deep.equal([4, 2]);
    expect(results.map(({ score }) => score)).to.deep.equal([0, 1, 2, 3, 4, 5]);
  });

  it("keeps results apart: one that is no score does not spoil the others", async () => {
    const manager = batchManager(() => [1, Number.NaN, null, { score: 0.5, acc: true }]);
    const results = await Promise.all(solutions("a", "b", "c", "d").map((input) => manager.score(input)));
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(["scored", "error", "abstain", "scored"]);
    expect(results[3].extra.acc).to.equal(true);
  });

  it("makes a list of the wrong length an error of all, and what is no list", async () => {
    for (const [returned, words] of [
      [[1], "was given 2 trajectories and returned a list of 1"],
      [1, "returned no list (number)"],
    ] as const) {
      const manager = batchManager((() => returned) as unknown as BatchRewardFunction, {
        batch: { maxSize: 2, maxWaitMs: 5 },
      });
      const results = await Promise.all(solutions("a", "b").map((input) => manager.score(input)));
      for (const { outcome, message } of results) {
        expect(outcome).to.equal("error");
        expect(message).to.contain(words).and.contain("train.jsonl:12");
      }
    }
  });

  it("takes typed arrays of numbers for lists", async () => {
    const manager = batchManager((() => Float32Array.of(0.5, 2)) as unknown as BatchRewardFunction, {
      batch: { maxSize: 2, maxWaitMs: 5 },
    });
    const results = await Promise.all(solutions("a", "b").map((input) => manager.score(input)));
    expect(results.map(({ score }) => score)).to.deep.equal([0.5, 2]);
  });

  it("ends a call at the deadline, and aborts its signal", async () => {
    let signal: AbortSignal | undefined;
    const manager = batchManager(
      (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
      { deadlineMs: 20 },
    );
    const results = await Promise.all(solutions("a", "b").map((input) => manager.score(input)));
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(["timeout", "timeout"]);
    expect(signal?.aborted).to.equal(true);
  });

  it("lets one caller leave without the others, and ends the call when all have", async () => {
    let aborted: Promise<unknown> | undefined;
    const manager = batchManager(
      (_, { signal }) => {
        aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
        return new Promise(() => {});
      },
      { batch: { maxSize: 2, maxWaitMs: 5 } },
    );
    const [one, two] = [new AbortController(), new AbortController()];
    const leaving = manager.score(rewardInput(), { signal: one.signal }).catch((error: unknown) => error);
    const staying = manager.score(rewardInput(), { signal: two.signal }).catch((error: unknown) => error);
    await new Promise(setImmediate);
    one.abort("first");
    expect(await leaving).to.equal("first");
    two.abort("second");
    expect(await staying).to.equal("second");
    await aborted;
  });

  it("leaves no listeners at the signals of its callers", async () => {
    const manager = batchManager(() => [1, 2], { batch: { maxSize: 2, maxWaitMs: 5 } });
    const { signal } = new AbortController();
    await Promise.all(solutions("a", "b").map((input) => manager.score(input, { signal })));
    expect(getEventListeners(signal, "abort")).to.deep.equal([]);
  });

  it("refuses to start without a function", () => {
    expect(() => createBatchRewardManager(managerOptions())).to.throw("VERL_REWARD_BAD_FUNCTION");
  });
});
