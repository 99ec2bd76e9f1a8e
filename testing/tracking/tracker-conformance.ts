import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunInfo, Tracker, TrackerFactory } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { fakeRunInfo, fakeTrajectory } from "./run-info.js";

export interface TrackerUnderTest {
  readonly factory: TrackerFactory;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const HOSTILE = '</script><script>alert("x")</script>\u2028\u0000\u001b[31m<img src=x onerror=alert(1)>';

/** What every tracker must bear. Run it with `runConformance`. */
export function trackerConformance({ factory, env = {} }: TrackerUnderTest): ConformanceCase[] {
  const withRun = (
    name: string,
    body: (tracker: Tracker, run: RunInfo & { text(): string }) => Promise<void>,
    over: Partial<RunInfo> = {},
  ): ConformanceCase => ({
    name,
    async run() {
      const outputDir = await mkdtemp(path.join(tmpdir(), "verl-tracker-"));
      try {
        const tracker = await factory.create({ env });
        await body(tracker, fakeRunInfo({ outputDir, ...over }));
      } finally {
        await rm(outputDir, { recursive: true, force: true });
      }
    },
  });

  return [
    withRun("has the name that it is registered under", async (tracker) => {
      assert.equal(tracker.name, factory.name);
    }),
    withRun("is asked whether it could start, and leaves nothing behind", async (tracker, run) => {
      const before = await contents(run.outputDir);
      await tracker.check?.(run);
      assert.deepEqual(await contents(run.outputDir), before);
    }),
    withRun("leaves what an earlier run wrote until every tracker has started", async (tracker, run) => {
      await wholeRun(tracker, run);
      const before = await contents(run.outputDir);
      const next = await factory.create({ env });
      await next.check?.(run);
      await next.start(run);
      // Another tracker has refused.
      await next.finish({ exitCode: 1, error: new Error("refused") });
      const after = await contents(run.outputDir);
      for (const [file, text] of before) {
        // Where the tracker keeps the run elsewhere is noted anew.
        if (!file.startsWith("trackers")) assert.equal(after.get(file), text, file);
      }
    }),
    withRun("takes a whole run", wholeRun),
    withRun("takes a run whose trainer does not tell it to begin", async (tracker, run) => {
      await tracker.start(run);
      await tracker.logTrajectories?.([fakeTrajectory()], 1);
      await tracker.log({ "critic/rewards/mean": 0.5 }, 1);
      await tracker.finish({ exitCode: 0 });
    }),
    withRun("takes numbers that are not finite", async (tracker, run) => {
      await tracker.start(run);
      await tracker.begin?.();
      await tracker.log({ a: Number.NaN, b: Number.POSITIVE_INFINITY, c: Number.NEGATIVE_INFINITY, d: 1 }, 1);
      await tracker.finish({ exitCode: 0 });
    }),
    withRun("takes hostile text", async (tracker, run) => {
      await tracker.start(run);
      await tracker.begin?.();
      await tracker.logTrajectories?.(
        [
          fakeTrajectory({
            promptText: HOSTILE,
            responseText: HOSTILE,
            tokens: [HOSTILE, "", "x"],
            dataSource: HOSTILE,
          }),
        ],
        1,
      );
      await tracker.log({ [HOSTILE]: 1 }, 1);
      await tracker.finish({ exitCode: 0 });
    }),
    withRun("takes a trajectory without log-probabilities, score or tokens", async (tracker, run) => {
      await tracker.start(run);
      await tracker.begin?.();
      const bare = fakeTrajectory({ logProbs: null, score: null, tokens: [], mask: [], responseText: "" });
      await tracker.logTrajectories?.([bare], 1);
      await tracker.logTrajectories?.([], 2);
      await tracker.finish({ exitCode: 0 });
    }),
    withRun(
      "continues a run that resumed",
      async (tracker, run) => {
        await tracker.start(run);
        await tracker.begin?.();
        await tracker.begin?.();
        await tracker.log({ "critic/rewards/mean": 0.5 }, 6);
        await tracker.finish({ exitCode: 0 });
      },
      { startStep: 5 },
    ),
    withRun("finishes a run that failed before its first step", async (tracker, run) => {
      await tracker.start(run);
      await tracker.begin?.();
      await tracker.finish({ exitCode: 1, error: new Error("no data") });
    }),
    withRun("writes no control characters where the output is no terminal", async (tracker, run) => {
      await tracker.start(run);
      await tracker.begin?.();
      tracker.progress?.({ step: 1, phase: "sampling" });
      await tracker.log({ "critic/rewards/mean": 0.5 }, 1);
      await tracker.finish({ exitCode: 0 });
      for (const control of ["\u001b", "\r"]) assert.ok(!run.text().includes(control), JSON.stringify(run.text()));
    }),
  ];
}

async function wholeRun(tracker: Tracker, run: RunInfo): Promise<void> {
  await tracker.check?.(run);
  await tracker.start(run);
  await tracker.begin?.();
  await tracker.log({ "val-core/x/reward/mean@1": 0.1 }, 0);
  for (let step = 1; step <= 3; step++) {
    tracker.progress?.({ step, phase: "sampling", done: 1, total: 2 });
    await tracker.logTrajectories?.([fakeTrajectory({ step })], step);
    await tracker.log({ "critic/rewards/mean": step / 10, "timing_s/step": 1.5 }, step);
  }
  await tracker.finish({ exitCode: 0 });
}

/** Every file below a folder, by its relative path. */
async function contents(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [path.relative(folder, file), await readFile(file, "latin1")] as const),
  );
  return new Map(texts);
}
