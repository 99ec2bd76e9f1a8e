import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { readMetrics } from "../../../core/tracking/index.js";
import { fileTracker, jsonlTracker } from "../../../plugins/trackers/index.js";
import { fakeRunInfo, fakeTrajectory, runConformance, trackerConformance } from "../../../testing/index.js";

describe("line file trackers", () => {
  let outputDir: string;
  beforeEach(async () => {
    outputDir = await mkdtemp(path.join(tmpdir(), "verl-lines-"));
  });
  afterEach(() => rm(outputDir, { recursive: true }));

  async function train(startStep: number, ...steps: number[]) {
    const tracker = await jsonlTracker.create({ env: {} });
    await tracker.start(fakeRunInfo({ outputDir: path.join(outputDir, "run"), startStep }));
    for (const step of steps) await tracker.log({ x: step, bad: Number.NaN }, step);
    await tracker.finish({ exitCode: 0 });
    return readMetrics(path.join(outputDir, "run", "metrics.jsonl"));
  }

  it("jsonl: holds one line per step as soon as log returns", async () => {
    const tracker = await jsonlTracker.create({ env: {} });
    await tracker.start(fakeRunInfo({ outputDir }));
    await tracker.log({ x: 1 }, 1);
    const [line] = await readMetrics(path.join(outputDir, "metrics.jsonl"));
    expect(line).to.deep.include({ step: 1, data: { x: 1 } });
    expect(new Date(line.time ?? "").getTime()).to.be.closeTo(Date.now(), 60_000);
    await tracker.finish({ exitCode: 0 });
  });

  it("jsonl: a resumed run has the lines of a run that was never stopped", async () => {
    const whole = await train(0, 1, 2, 3, 4, 5);
    await train(0, 1, 2, 3);
    const resumed = await train(2, 3, 4, 5);
    const withoutTimes = (lines: typeof whole) => lines.map(({ step, data }) => ({ step, data }));
    expect(withoutTimes(resumed)).to.deep.equal(withoutTimes(whole));
    expect(resumed[0].data.bad).to.equal("NaN");
  });

  it("jsonl: a new run in the same folder starts over", async () => {
    await train(0, 1, 2, 3);
    expect((await train(0, 1)).map(({ step }) => step)).to.deep.equal([1]);
  });

  it("jsonl: keeps samples, and of long ones as many as fit", async () => {
    const tracker = await jsonlTracker.create({ env: {} });
    await tracker.start(fakeRunInfo({ outputDir }));
    const long = Array<string>(10_000).fill("word ");
    const record = (key: string) =>
      fakeTrajectory({ key, tokens: long, mask: long.map(() => 1), logProbs: long.map(() => -1) });
    await tracker.logTrajectories?.([record("u1_0_0"), record("u1_1_0")], 1);
    await tracker.logTrajectories?.([fakeTrajectory({ key: "u2_0_0", step: 2 })], 2);
    await tracker.finish({ exitCode: 0 });
    const lines = (await readFile(path.join(outputDir, "samples.jsonl"), "utf8")).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { uid: string }).uid)).to.deep.equal(["u1_0_0", "u2_0_0"]);
  });

  it("file: writes where verl's variables say", async () => {
    const run = fakeRunInfo({ outputDir });
    const places: [Record<string, string>, string][] = [
      [{ VERL_FILE_LOGGER_PATH: path.join(outputDir, "a", "log.jsonl") }, path.join(outputDir, "a", "log.jsonl")],
      [{ VERL_FILE_LOGGER_ROOT: path.join(outputDir, "b") }, path.join(outputDir, "b", "project", "experiment.jsonl")],
    ];
    for (const [env, file] of places) {
      const tracker = await fileTracker.create({ env });
      await tracker.start(run);
      await tracker.log({ x: 0.5 }, 3);
      await tracker.finish({ exitCode: 0 });
      expect(await readFile(file, "utf8")).to.equal('{"step":3,"data":{"x":0.5}}\n');
    }
  });
});

runConformance("jsonl tracker", trackerConformance({ factory: jsonlTracker }), { describe, it });
runConformance(
  "file tracker",
  trackerConformance({
    factory: fileTracker,
    env: { VERL_FILE_LOGGER_ROOT: path.join(tmpdir(), `verl-file-${process.pid}`) },
  }),
  {
    describe(name, body) {
      describe(name, () => {
        after(() => rm(path.join(tmpdir(), `verl-file-${process.pid}`), { recursive: true, force: true }));
        body();
      });
    },
    it,
  },
);
