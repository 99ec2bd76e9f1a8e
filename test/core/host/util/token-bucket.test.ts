import { expect } from "chai";
import fc from "fast-check";
import { TokenBucket } from "../../../../core/host/index.js";
import { VirtualClock } from "../support/virtual-clock.js";

/** When each of several callers that come at once, or after pauses, was let through, in seconds. */
async function times(
  rate: ConstructorParameters<typeof TokenBucket>[0],
  amounts: readonly number[],
  pauses: readonly number[] = [],
): Promise<number[]> {
  const clock = new VirtualClock();
  const bucket = new TokenBucket(rate, clock);
  const at: number[] = [];
  let arrival = 0;
  for (const [i, amount] of amounts.entries()) {
    arrival += pauses[i] ?? 0;
    void clock
      .sleep(arrival)
      .then(() => bucket.take(amount))
      .then(() => {
        at[i] = clock.now() / 1000;
      });
  }
  await clock.run();
  return at;
}

describe("token bucket", () => {
  it("starts full, and fills at the rate", async () => {
    expect(await times({ perSecond: 2 }, [1, 1, 1, 1])).to.deep.equal([0, 0, 0.5, 1]);
    expect(await times({ perSecond: 0.5, capacity: 1 }, [1, 1, 1])).to.deep.equal([0, 2, 4]);
  });

  it("lets a caller who takes more than it can hold wait for the debt", async () => {
    expect(await times({ perSecond: 0.5 }, [1, 1])).to.deep.equal([1, 3]);
    expect(await times({ perSecond: 1000 }, [2000, 2000])).to.deep.equal([1, 3]);
  });

  it("lets callers through in their order, and never more than it holds and the rate brings", () =>
    fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        fc.double({ min: 0.5, max: 100, noNaN: true }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 2000 })), {
          minLength: 1,
          maxLength: 20,
        }),
        async (perSecond, capacity, calls) => {
          const amounts = calls.map(([amount]) => amount);
          const pauses = calls.map(([, pause]) => pause);
          const passed = await times({ perSecond, capacity }, amounts, pauses);
          expect(passed).to.deep.equal([...passed].sort((a, b) => a - b));
          let sum = 0;
          for (const [i, at] of passed.entries()) {
            sum += amounts[i];
            expect(sum).to.be.at.most(capacity + perSecond * at + 1e-6 * sum);
          }
        },
      ),
      { numRuns: 50 },
    ));

  it("rejects with the reason of a caller who gives up, whose turn goes to the next", async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket({ perSecond: 1 }, clock);
    await bucket.take(1);
    const controller = new AbortController();
    const waiting = bucket.take(1, controller.signal).catch((error: unknown) => error);
    const reason = new Error("the run is over");
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
    const next = bucket.take(1);
    await clock.run();
    await next;
    expect(clock.now()).to.equal(1000);
  });
});
