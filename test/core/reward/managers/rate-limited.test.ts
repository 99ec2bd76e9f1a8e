import { expect } from "chai";
import { createRateLimitedRewardManager, withErrorPolicy } from "../../../../core/reward/index.js";
import { VirtualClock } from "../../host/support/virtual-clock.js";
import { managerOptions, rewardInput } from "../input.js";

describe("rate-limited reward manager", () => {
  async function startTimes(rateLimits: Parameters<typeof managerOptions>[0] & object, calls: number) {
    const clock = new VirtualClock();
    const started: number[] = [];
    const manager = createRateLimitedRewardManager(
      managerOptions({
        ...rateLimits,
        customFunction: async () => {
          started.push(clock.now() / 1000);
          return 1;
        },
      }),
      clock,
    );
    const scoring = Promise.all(Array.from({ length: calls }, () => manager.score(rewardInput())));
    await clock.run();
    await scoring;
    return started;
  }

  it("waits for requests, then for tokens", async () => {
    const requests = { requestsPerMinute: 60, tokensPerMinute: null, tokensPerRequest: 2000 };
    expect(await startTimes({ rateLimits: requests }, 3)).to.deep.equal([0, 1, 2]);
    const tokens = { requestsPerMinute: 600, tokensPerMinute: 60_000, tokensPerRequest: 500 };
    expect(await startTimes({ rateLimits: tokens }, 5)).to.deep.equal([0, 0, 0.5, 1, 1.5]);
  });

  it("does not count waiting for the rate against the deadline", async () => {
    const clock = new VirtualClock();
    const manager = createRateLimitedRewardManager(
      managerOptions({
        deadlineMs: 50,
        rateLimits: { requestsPerMinute: 1, tokensPerMinute: null, tokensPerRequest: 1 },
        customFunction: async () => 1,
      }),
      clock,
    );
    const scoring = Promise.all([manager.score(rewardInput()), manager.score(rewardInput())]);
    await clock.run();
    expect((await scoring).map(({ outcome }) => outcome)).to.deep.equal(["scored", "scored"]);
    expect(clock.now()).to.be.closeTo(119_000, 1);
  });

  for (const [rateLimits, warning] of [
    [
      { requestsPerMinute: 2, tokensPerMinute: null, tokensPerRequest: 1 },
      "reward.max_rpm = 2 lets one trajectory be scored every 30.0 s, longer than reward.timeout (20 s)",
    ],
    [
      { requestsPerMinute: null, tokensPerMinute: 1000, tokensPerRequest: 500 },
      "reward.max_tpm = 1000 lets one trajectory (of reward.estimated_tokens_per_request = 500 tokens) be scored every 30.0 s, longer than reward.timeout (20 s)",
    ],
    [{ requestsPerMinute: 3, tokensPerMinute: 1500, tokensPerRequest: 500 }, null],
  ] as const) {
    it(`warns of quotas that cannot be kept, and of no other: ${JSON.stringify(rateLimits)}`, () => {
      const warnings: string[] = [];
      const logger = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
      createRateLimitedRewardManager(managerOptions({ deadlineMs: 20_000, rateLimits, logger }));
      expect(warnings).to.deep.equal(warning === null ? [] : [warning]);
    });
  }

  it("gives failures verl's extra values, and with the policy zero its score", async () => {
    const failing = createRateLimitedRewardManager(
      managerOptions({
        customFunction: () => {
          throw new Error("no such judge");
        },
      }),
    );
    const failed = await withErrorPolicy(failing, { retries: 0, action: "zero" }).score(rewardInput());
    expect(failed).to.deep.include({ outcome: "error", score: 0 });
    expect(failed.extra.acc).to.equal(0);
    expect(failed.extra.error).to.contain("no such judge");
    const slow = createRateLimitedRewardManager(
      managerOptions({ deadlineMs: 5, customFunction: () => new Promise<number>(() => {}) }),
    );
    expect((await slow.score(rewardInput())).extra).to.deep.equal({ timeout: true, acc: 0 });
  });
});
