import { expect } from "chai";
import fc from "fast-check";
import { TokenBucket } from "../../../../core/reward/index.js";
import { VirtualClock } from "./virtual-clock.js";

/** When each of several requests that come at once was let through, in seconds. */
async function times(perMinute: number, amounts: readonly number[]): Promise<number[]> {
  const clock = new VirtualClock();
  const bucket = new TokenBucket(perMinute, clock);
  const at: number[] = [];
  for (const [i, amount] of amounts.entries()) {
    void bucket.take(amount).then(() => {
      at[i] = clock.now() / 1000;
    });
  }
  await clock.run();
  return at;
}

describe("token bucket", () => {
  it("starts with what one second brings, and fills at the rate", async () => {
    expect(await times(120, [1, 1, 1, 1])).to.deep.equal([0, 0, 0.5, 1]);
  });

  it("charges at once what it can never hold, and lets the caller wait for its debt", async () => {
    // 30 a minute: half a request fits. The first finds it full.
    expect(await times(30, [1, 1])).to.deep.equal([1, 3]);
    // 2000 tokens of 60 000 a minute: 1000 fit.
    expect(await times(60_000, [2000, 2000])).to.deep.equal([1, 3]);
  });

  it("never lets more through than it began with and the rate brings", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 6, max: 6000 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }),
        async (perMinute, amounts) => {
          const passed = (await times(perMinute, amounts))
            .map((at, i) => ({ at, amount: amounts[i] }))
            .sort((a, b) => a.at - b.at);
          let sum = 0;
          for (const { at, amount } of passed) {
            sum += amount;
            expect(sum).to.be.at.most((perMinute / 60) * (1 + at) + 1e-6);
          }
        },
      ),
      { numRuns: 50 },
    ));

  it("rejects with the caller's reason when the caller gives up", async () => {
    const bucket = new TokenBucket(1);
    const controller = new AbortController();
    const waiting = bucket.take(1, controller.signal).catch((error: unknown) => error);
    const reason = new Error("the run is over");
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
  });
});
