import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sandboxErrors } from "../../../../core/plugin.js";
import {
  createNaiveRewardManager,
  createScorerIndex,
  gsm8kScorer,
  type Scorer,
} from "../../../../core/reward/index.js";
import { createFakeSandbox } from "../../../../testing/index.js";
import { managerOptions, rewardInput } from "../input.js";

type Returned = ReturnType<NonNullable<Parameters<typeof managerOptions>[0]>["customFunction"] & object>;

const scoreWith = (returned: () => unknown, input = rewardInput()) =>
  createNaiveRewardManager(managerOptions({ customFunction: () => returned() as Returned })).score(input);

describe("naive reward manager", () => {
  it("takes a number, with `acc` as the extra value", async () => {
    expect(await scoreWith(() => 0.5)).to.deep.include({ outcome: "scored", score: 0.5, extra: { acc: 0.5 } });
    expect(await scoreWith(() => true)).to.deep.include({ outcome: "scored", score: 1 });
  });

  it("takes an object, every entry becoming an extra value", async () => {
    const result = await scoreWith(() => ({ score: 1, acc: true, pred: "42", parts: new Float32Array([1, 2]) }));
    expect(result).to.deep.include({
      outcome: "scored",
      score: 1,
      extra: { score: 1, acc: true, pred: "42", parts: [1, 2] },
    });
  });

  it("awaits asynchronous functions", async () => {
    expect(await scoreWith(async () => 1)).to.deep.include({ outcome: "scored", score: 1 });
  });

  it("abstains on null", async () => {
    expect(await scoreWith(() => null)).to.deep.include({ outcome: "abstain", score: null });
    expect(await scoreWith(() => ({ score: null, pred: "?" }))).to.deep.include({
      outcome: "abstain",
      score: null,
      extra: { score: null, pred: "?" },
    });
  });

  const bad: [string, unknown, string][] = [
    ["NaN", Number.NaN, "returned NaN"],
    ["what float32 does not hold", 1e39, "returned 1e+39, beyond float32 (±3.4e38)"],
    ["infinity inside an object", { score: Number.POSITIVE_INFINITY }, "returned Infinity as `score`"],
    ["an object without score", { acc: 1, pred: "x" }, "without `score` (its keys: acc, pred)"],
    ["nothing", undefined, "is a `return` missing?"],
    ["a text", "0.5", 'the text "0.5"'],
  ];
  for (const [name, value, message] of bad) {
    it(`makes ${name} an error that names the row`, async () => {
      const result = await scoreWith(() => value);
      expect(result).to.deep.include({ outcome: "error", score: null });
      expect(result.message).to.contain(message).and.contain("train.jsonl:12").and.contain("VERL_REWARD_BAD_RESULT");
    });
  }

  it("turns an exception into an outcome that names the row and the reason", async () => {
    const result = await scoreWith(() => {
      throw new Error("no such judge");
    });
    expect(result).to.deep.include({ outcome: "error", score: null });
    expect(result.message).to.contain("no such judge").and.contain("train.jsonl:12").and.contain("u1_0_0");
  });

  it("names the line that threw", async () => {
    const result = await scoreWith(() => {
      throw new Error("no such judge");
    });
    expect(result.message).to.match(/naive\.test\.js:\d+/);
  });

  it("ends scoring at the deadline and aborts the function's signal", async () => {
    let signal: AbortSignal | undefined;
    const manager = createNaiveRewardManager(
      managerOptions({
        deadlineMs: 20,
        customFunction: (input) => {
          signal = input.signal;
          return new Promise<number>(() => {});
        },
      }),
    );
    const result = await manager.score(rewardInput());
    expect(result).to.deep.include({ outcome: "timeout", score: null });
    expect(result.message).to.contain("0.02 s").and.contain("train.jsonl:12");
    expect(signal?.aborted).to.equal(true);
  });

  it("does not count waiting for a slot against the deadline", async () => {
    const manager = createNaiveRewardManager(
      managerOptions({ deadlineMs: 40, maxConcurrent: 1, customFunction: async () => sleep(10, 1) }),
    );
    const results = await Promise.all(Array.from({ length: 12 }, () => manager.score(rewardInput())));
    expect(results.map((r) => r.outcome)).to.deep.equal(Array(12).fill("scored"));
    expect(results.at(-1)?.seconds?.queue).to.be.greaterThan(0.05);
  });

  describe("T25: 100 rewards of 20 ms on a busy loop with a limit of 50 ms: none times out", () => {
    const busy = (ms: number) => {
      const until = performance.now() + ms;
      while (performance.now() < until);
    };
    const limits = { deadlineMs: 50, maxConcurrent: 100 };
    const scoreAll = async (customFunction: () => number | Promise<number>) => {
      const manager = createNaiveRewardManager(managerOptions({ ...limits, customFunction }));
      const scoring = Promise.all(Array.from({ length: 100 }, () => manager.score(rewardInput())));
      for (let turn = 0; turn < 4; turn++) {
        busy(80);
        await sleep(0);
      }
      return scoring;
    };

    it("asynchronous ones, while something else holds the loop", async () => {
      const results = await scoreAll(() => sleep(20, 1));
      expect(results.map(({ outcome }) => outcome)).to.deep.equal(Array(100).fill("scored"));
    });

    it("synchronous ones, which hold the loop themselves; what the others waited is told apart", async () => {
      const results = await scoreAll(() => {
        busy(20);
        return 1;
      });
      expect(results.map(({ outcome }) => outcome)).to.deep.equal(Array(100).fill("scored"));
      for (const { seconds } of results) expect(seconds).to.have.keys("queue", "score");
    });
  });

  it("never runs more functions at a time than it may", async () => {
    let [running, most] = [0, 0];
    const manager = createNaiveRewardManager(
      managerOptions({
        maxConcurrent: 3,
        customFunction: async () => {
          most = Math.max(most, ++running);
          await sleep(1);
          running--;
          return 1;
        },
      }),
    );
    await Promise.all(Array.from({ length: 20 }, () => manager.score(rewardInput())));
    expect(most).to.equal(3);
  });

  it("rejects with the caller's reason when the caller aborts", async () => {
    const manager = createNaiveRewardManager(managerOptions({ customFunction: () => new Promise<number>(() => {}) }));
    const controller = new AbortController();
    const scoring = manager.score(rewardInput(), { signal: controller.signal }).catch((e: unknown) => e);
    const reason = new Error("run stopped");
    controller.abort(reason);
    expect(await scoring).to.equal(reason);
  });

  it("hands the function everything that it may need", async () => {
    let seen: unknown;
    const sandbox = async () => createFakeSandbox();
    const manager = createNaiveRewardManager(
      managerOptions({
        sandbox,
        rewardKwargs: { scale: 2 },
        customFunction: ({ signal: _, ...rest }) => {
          seen = rest;
          return 1;
        },
      }),
    );
    await manager.score(rewardInput({ extraInfo: { num_turns: 2 } }));
    expect(seen).to.deep.equal({
      dataSource: "test",
      solution: "42",
      groundTruth: "42",
      extraInfo: { num_turns: 2 },
      media: [],
      kwargs: { scale: 2 },
      sandbox,
      judge: null,
    });
  });

  it("lets a trajectory wait for a place in the sandbox before its time begins", async () => {
    const sandbox = createFakeSandbox({ maxConcurrent: 1, run: () => sleep(20, {}) });
    const scorer: Scorer = {
      name: "runner",
      dataSources: ["test"],
      sandboxLanguage: () => "python",
      score: async ({ sandbox: open }) => Number((await (await open()).run({ language: "python", code: "" })).exitCode),
    };
    const manager = createNaiveRewardManager(
      managerOptions({ deadlineMs: 60, maxConcurrent: 16, findScorer: () => scorer, sandbox: async () => sandbox }),
    );
    const results = await Promise.all(Array.from({ length: 8 }, () => manager.score(rewardInput())));
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(Array(8).fill("scored"));
    expect(sandbox.programs).to.have.length(8);
  });

  it("reports a sandbox that cannot be opened as an error of the trajectory", async () => {
    const scorer: Scorer = { name: "runner", dataSources: ["test"], sandboxLanguage: () => "python", score: () => 1 };
    const sandbox = async () => {
      throw sandboxErrors.VERL_SANDBOX_UNAVAILABLE({ what: "no sandbox here", why: "this is a test" });
    };
    const { outcome, message } = await createNaiveRewardManager(
      managerOptions({ findScorer: () => scorer, sandbox }),
    ).score(rewardInput());
    expect(outcome).to.equal("error");
    expect(message)
      .to.contain("VERL_SANDBOX_UNAVAILABLE: no sandbox here: this is a test")
      .and.contain("train.jsonl:12");
  });

  it("falls back to the scorer of the data source, and lets the user's function win over it", async () => {
    const { find } = createScorerIndex([gsm8kScorer]);
    const input = rewardInput({ dataSource: "openai/gsm8k", solution: "#### 42" });
    const ruled = createNaiveRewardManager(managerOptions({ findScorer: find }));
    expect((await ruled.score(input)).score).to.equal(1);
    const custom = createNaiveRewardManager(managerOptions({ findScorer: find, customFunction: () => -1 }));
    expect((await custom.score(input)).score).to.equal(-1);
  });

  it("says before the start which data sources it can score", () => {
    const { find, knownDataSources } = createScorerIndex([gsm8kScorer]);
    const manager = createNaiveRewardManager(managerOptions({ findScorer: find, knownDataSources }));
    expect(manager.supports("openai/gsm8k")).to.equal(true);
    expect(() => manager.supports("my/data"))
      .to.throw("VERL_REWARD_NO_SCORER")
      .with.property("message")
      .that.contains("openai/gsm8k")
      .and.contains("reward.custom_reward_function.path");
  });
});
