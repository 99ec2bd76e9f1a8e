import { expect } from "chai";
import fc from "fast-check";
import type { Sampler } from "../../../../core/data/index.js";
import { randomSampler, sequentialSampler } from "../../../../core/data/index.js";
import { codedError } from "../support.js";

const take = (sampler: Sampler, count: number) => Array.from({ length: count }, () => sampler.next());

describe("core/data/rows/sampler", () => {
  const length = fc.integer({ min: 1, max: 40 });
  const seed = fc.integer();

  it("goes through the rows in order, pass after pass", () => {
    expect(take(sequentialSampler(3), 7)).to.deep.equal([0, 1, 2, 0, 1, 2, 0]);
  });

  it("draws every row once in each random pass", () => {
    fc.assert(
      fc.property(length, seed, (n, s) => {
        const sampler = randomSampler(n, s);
        const rows = Array.from({ length: n }, (_, i) => i);
        for (let pass = 0; pass < 3; pass++) {
          expect(take(sampler, n).sort((a, b) => a - b)).to.deep.equal(rows);
          expect(sampler.epoch).to.equal(pass);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("takes another order for every pass and every seed", () => {
    const sampler = randomSampler(50, 1);
    const orders = [take(sampler, 50), take(sampler, 50), take(randomSampler(50, 2), 50)].map((order) => order.join());
    expect(new Set(orders).size).to.equal(3);
  });

  it("goes on from a saved state as if never interrupted", () => {
    fc.assert(
      fc.property(length, seed, fc.nat(100), fc.boolean(), (n, s, drawn, random) => {
        const make = (withSeed: number) => (random ? randomSampler(n, withSeed) : sequentialSampler(n));
        const sampler = make(s);
        take(sampler, drawn);
        const saved = JSON.parse(JSON.stringify(sampler.state()));
        const resumed = make(s + 1);
        resumed.restore(saved);
        expect(resumed.epoch).to.equal(sampler.epoch);
        expect(take(resumed, 2 * n)).to.deep.equal(take(sampler, 2 * n));
      }),
      { numRuns: 60 },
    );
  });

  it("refuses an empty data set and states outside of it", async () => {
    await codedError("VERL_DATA_EMPTY", () => sequentialSampler(0));
    for (const state of [
      null,
      "here",
      { epoch: 0, position: 4, seed: 1 },
      { epoch: -1, position: 0, seed: 1 },
      { epoch: 0, position: 0.5, seed: 1 },
    ]) {
      await codedError("VERL_DATA_STATE_MISMATCH", () => randomSampler(3, 1).restore(state));
    }
  });
});
