import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Awaitable,
  isVerlError,
  type RewardFunction,
  type RewardInput,
  type RewardManager,
  type RewardManagerOptions,
} from "../../core/plugin.js";
import { createToyTokenizer } from "../agent/toy-tokenizer.js";
import type { ConformanceCase } from "../case.js";
import { rewardManagerOptions } from "./manager-options.js";

export interface RewardManagerUnderTest {
  make(options: RewardManagerOptions): Awaitable<RewardManager>;
}

const tokenizer = createToyTokenizer();
const INPUT: RewardInput = {
  key: "u_0_0",
  dataSource: "suite",
  solution: "42",
  groundTruth: "42",
  extraInfo: {},
  promptIds: tokenizer.encode("6*7="),
  responseIds: tokenizer.encode("42"),
  messages: [{ role: "user", content: "6*7=" }],
  row: {},
  origin: "train.jsonl:12",
};

/** What every reward manager that calls the user's function must do. Run it with `runConformance`. */
export function rewardManagerConformance({ make }: RewardManagerUnderTest): ConformanceCase[] {
  const withManager = (
    name: string,
    score: RewardFunction | null,
    body: (manager: RewardManager) => Promise<void>,
    over: Partial<RewardManagerOptions> = {},
  ): ConformanceCase => ({
    name,
    async run() {
      const manager = await make(rewardManagerOptions({ tokenizer, customFunction: score, ...over }));
      try {
        await body(manager);
      } finally {
        await manager.dispose?.();
      }
    },
  });
  let [running, most] = [0, 0];

  return [
    withManager(
      "takes a number",
      () => 0.25,
      async (manager) => {
        const { outcome, score } = await manager.score(INPUT);
        assert.deepEqual({ outcome, score }, { outcome: "scored", score: 0.25 });
      },
    ),
    withManager(
      "takes an object from an asynchronous function and keeps its extra values",
      async () => ({ score: 1, pred: "42" }),
      async (manager) => {
        const { outcome, score, extra } = await manager.score(INPUT);
        assert.deepEqual({ outcome, score, pred: extra.pred }, { outcome: "scored", score: 1, pred: "42" });
      },
    ),
    withManager(
      "hands the function what a trajectory shows, and an empty list for one of texts",
      async ({ media }) =>
        (await Promise.all(media.map((medium) => medium.bytes()))).flatMap((bytes) => [...bytes]).length,
      async (manager) => {
        assert.equal((await manager.score(INPUT)).score, 0);
        const shown = {
          kind: "image",
          id: "0".repeat(64),
          mimeType: "image/png",
          byteLength: 3,
          place: "prompt",
        } as const;
        assert.equal((await manager.score({ ...INPUT, media: [shown] })).score, shown.byteLength);
      },
      { media: { bytes: async () => new Uint8Array(3) } },
    ),
    withManager(
      "abstains on null",
      () => null,
      async (manager) => {
        const { outcome, score } = await manager.score(INPUT);
        assert.deepEqual({ outcome, score }, { outcome: "abstain", score: null });
      },
    ),
    withManager(
      "reports a function that throws as an outcome that names the dataset row",
      () => {
        throw new Error("judge is down");
      },
      async (manager) => {
        const { outcome, score, message } = await manager.score(INPUT);
        assert.deepEqual({ outcome, score }, { outcome: "error", score: null });
        assert.match(message ?? "", /train\.jsonl:12/);
        assert.match(message ?? "", /judge is down/);
      },
    ),
    withManager(
      "reports NaN as an error",
      () => Number.NaN,
      async (manager) => assert.equal((await manager.score(INPUT)).outcome, "error"),
    ),
    withManager(
      "ends scoring at the deadline",
      () => new Promise<number>(() => {}),
      async (manager) => assert.equal((await manager.score(INPUT)).outcome, "timeout"),
      { deadlineMs: 20 },
    ),
    withManager(
      "runs at most `maxConcurrent` functions at a time",
      async () => {
        most = Math.max(most, ++running);
        await sleep(1);
        running--;
        return 1;
      },
      async (manager) => {
        await Promise.all(Array.from({ length: 10 }, () => manager.score(INPUT)));
        assert.ok(most <= 2, `${most} at a time`);
      },
      { maxConcurrent: 2 },
    ),
    withManager(
      "rejects with the caller's reason when the caller aborts",
      () => new Promise<number>(() => {}),
      async (manager) => {
        const controller = new AbortController();
        const reason = new Error("stopped by the suite");
        const scoring = manager.score(INPUT, { signal: controller.signal });
        controller.abort(reason);
        await assert.rejects(scoring, reason);
      },
    ),
    withManager("says before the start that a data source has no scorer", null, async (manager) => {
      assert.throws(
        () => manager.supports("nobody/knows"),
        (error: unknown) => isVerlError(error) && error.code === "VERL_REWARD_NO_SCORER",
      );
    }),
  ];
}
