import { expect } from "chai";
import fc from "fast-check";
import { TokenBucket } from "../../../../plugins/tools/mcp/token-bucket.js";

describe("plugins/tools/mcp: the rate of calls", () => {
  it("lets a second's calls begin at once, and the others evenly", () => {
    const bucket = new TokenBucket(4, () => 0);
    const waits = Array.from({ length: 8 }, () => bucket.reserve());
    expect(waits).to.deep.equal([-750, -500, -250, 0, 250, 500, 750, 1000]);
  });

  it("never lets more calls begin in a second than twice the rate, whenever they come", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), gaps, (rate, pauses) => {
        let now = 0;
        const bucket = new TokenBucket(rate, () => now);
        const begins = pauses.map((pause) => {
          now += pause;
          return now + Math.max(0, bucket.reserve());
        });
        for (const begin of begins) {
          const within = begins.filter((other) => other >= begin && other < begin + 1000 - 1e-6);
          expect(within.length).to.be.at.most(2 * rate);
        }
        // In their order.
        expect(begins).to.deep.equal([...begins].sort((a, b) => a - b));
      }),
    );
  });

  it("a waiter that gives up leaves its turn to the next, and rejects with the reason", async () => {
    const bucket = new TokenBucket(1, () => 0);
    const abort = new AbortController();
    await bucket.take(abort.signal);
    const reason = new Error("enough");
    const waiting = bucket.take(abort.signal).catch((error: unknown) => error);
    abort.abort(reason);
    expect(await waiting).to.equal(reason);
    expect(bucket.reserve()).to.equal(1000);
  });
});
