import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { TrackerOptions, VerlError } from "../../../core/plugin.js";
import { pythonTrackers as builtIn } from "../../../plugins/trackers/index.js";
import { type PythonTrackerLimits, pythonTracker } from "../../../plugins/trackers/python/python-tracker.js";
import { fakeRunInfo, fakeTrajectory, runConformance, trackerConformance } from "../../../testing/index.js";
import { type FakeBehaviour, FakePython } from "./fake-python.js";

const CLIENT = { name: "wandb", help: "log in", later: "sync it" };

describe("trackers with a client in Python", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-python-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function begin(
    behaviour: FakeBehaviour = "works",
    limits: PythonTrackerLimits = {},
    over: Partial<TrackerOptions["settings"]> = {},
  ) {
    const python = await FakePython.create(folder, behaviour);
    const settings = { valGenerations: 4, python: python.command, proxy: null, ...over };
    const env = { ...process.env, ...python.env, WANDB_API_KEY: "a-secret-of-some-length" };
    const tracker = await pythonTracker(CLIENT, limits).create({ env, settings });
    const lines: string[] = [];
    const log = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
    const logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
    const start = (run: Partial<Parameters<typeof fakeRunInfo>[0]> = {}) =>
      tracker.start(fakeRunInfo({ outputDir: path.join(folder, "run"), logger, ...run }));
    return { python, tracker, lines, start };
  }

  const failure = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail("it was expected to fail"),
      (error: VerlError) => error,
    );

  it("hand over the run, its steps and the validation samples, in order, and end it once", async () => {
    const { python, tracker, lines, start } = await begin();
    await start({ config: { a: 1 } });
    await tracker.logTrajectories?.([fakeTrajectory(), fakeTrajectory({ split: "val", groundTruth: ["4", 2] })], 1);
    await tracker.log({ x: 0.5, bad: Number.NaN }, 1);
    await tracker.log({ x: 1 }, 2, new Date(5000));
    await tracker.finish({ exitCode: 0 });
    const [process, first, ...rest] = await python.told();
    expect(first).to.deep.include({ type: "start", project: "project", experiment: "experiment", config: { a: 1 } });
    expect(first).to.deep.include({ resumed: false, record: path.join(folder, "run", "trackers", "wandb.json") });
    expect(rest).to.deep.equal([
      {
        type: "table",
        name: "val/generations",
        step: 1,
        rows: [{ input: "6*7=", output: "42.", gts: '["4",2]', score: 1 }],
        time: null,
      },
      { type: "log", step: 1, metrics: { x: 0.5, bad: "NaN" }, time: null },
      { type: "log", step: 2, metrics: { x: 1 }, time: 5 },
      { type: "finish", exitCode: 0 },
    ]);
    expect(lines).to.deep.equal(["info wandb: https://tracker.example/run"]);
    expect((process.argv as string[]).slice(2)).to.deep.equal(["wandb"]);
  });

  it("keep texts where no validation samples are asked for", async () => {
    const { python, tracker, start } = await begin("works", {}, { valGenerations: 0 });
    await start();
    await tracker.logTrajectories?.([fakeTrajectory({ split: "val" })], 1);
    await tracker.finish({ exitCode: 0 });
    expect((await python.told()).map(({ type }) => type)).to.deep.equal(["process", "start", "finish"]);
  });

  it("hand a proxy over by their input, where no other user sees it", async () => {
    const { python, tracker, start } = await begin("works", {}, { proxy: "http://me:pass@proxy" });
    await start();
    await tracker.finish({ exitCode: 0 });
    const [process, first] = await python.told();
    expect(first.proxy).to.equal("http://me:pass@proxy");
    expect(JSON.stringify(process)).not.to.include("pass@");
  });

  it("say at once which package is missing, and how it is installed", async () => {
    const error = await failure(begin("is not installed"));
    expect(error.code).to.equal("VERL_TRACKER_NOT_INSTALLED");
    expect(error.fix).to.include(`${path.join(folder, "python")} -m pip install wandb`);
  });

  it("say at once that there is no Python", async () => {
    const settings = { valGenerations: 0, python: path.join(folder, "none"), proxy: null };
    const error = await failure(Promise.resolve(pythonTracker(CLIENT).create({ env: {}, settings })));
    expect(error.code).to.equal("VERL_TRACKER_NO_PYTHON");
    expect(error.why).to.include("none: not found");
  });

  it("do not begin where the client refuses, say what it says, and keep its key to themselves", async () => {
    const { start } = await begin("refuses");
    const error = await failure(Promise.resolve(start()));
    expect(error.code).to.equal("VERL_TRACKER_START_FAILED");
    expect(error.why).to.equal("UsageError: key ******** is not valid");
    expect(error.fix).to.equal("log in");
  });

  it("do not wait for ever for a client that never begins", async () => {
    const { python, start } = await begin("never begins", { startMs: 300 });
    const error = await failure(Promise.resolve(start()));
    expect(error.why).to.include("did not begin within 0.3 s");
    await gone(python);
  });

  it("go on when the client refuses a step, and say so once", async () => {
    const { python, tracker, lines, start } = await begin("fails at step 2");
    await start();
    for (const step of [1, 2, 3]) await tracker.log({ x: step }, step);
    await tracker.finish({ exitCode: 0 });
    expect((await python.told()).filter(({ type }) => type === "log")).to.have.length(3);
    expect(lines.slice(1)).to.deep.equal([
      "warn wandb: ValueError: no; the run goes on without what it does not take",
      "warn wandb: it did not take 1 message. sync it",
    ]);
  });

  it("say what the tracker had already from an earlier part of the run", async () => {
    const { python, tracker, lines, start } = await begin("has step 1");
    await start({ startStep: 1 });
    await tracker.log({ x: 1 }, 1);
    await tracker.log({ x: 2 }, 2);
    await tracker.finish({ exitCode: 0 });
    expect((await python.told())[1]).to.include({ resumed: true });
    expect(lines[1]).to.equal("info wandb: what it has from the run's earlier part was left out (1 message)");
    expect(lines).to.have.length(2);
  });

  it("go on when the client ends, and say why", async () => {
    const { python, tracker, lines, start } = await begin("ends at step 2");
    await start();
    await tracker.log({ x: 1 }, 1);
    await tracker.log({ x: 2 }, 2);
    await gone(python);
    await tracker.finish({ exitCode: 0 });
    await tracker.log({ x: 3 }, 3);
    expect(lines[1]).to.include("it ended with exit code 3: out of memory; the run goes on");
    expect(lines[2]).to.include("it did not take 1 message");
  });

  it("never wait for a client that does not answer: the queue has an end, and the process goes", async () => {
    const { python, tracker, lines, start } = await begin("never answers", { waitingBytes: 100_000, finishMs: 200 });
    await start();
    const metrics = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`metric/${i}`, i]));
    for (let step = 1; step <= 100; step++) await tracker.log(metrics, step);
    await tracker.finish({ exitCode: 0 });
    expect(lines.filter((line) => line.startsWith("warn"))).to.have.length(2);
    expect(lines[1]).to.include("its queue is full");
    expect(lines[2]).to.match(/it did not take 100 messages; it had not handed everything over after 0.2 s/);
    await gone(python);
  });

  it("do not wait for ever for a client that does not finish", async () => {
    const { python, tracker, lines, start } = await begin("never finishes", { finishMs: 200 });
    await start();
    await tracker.log({ x: 1 }, 1);
    await tracker.finish({ exitCode: 0 });
    expect(lines[1]).to.equal("warn wandb: it had not handed everything over after 0.2 s, and was stopped. sync it");
    await gone(python);
  });

  it("tell the client when the run is killed", async () => {
    const python = await FakePython.create(folder);
    const [index, run] = ["../../../plugins/trackers/index.js", "../../../testing/index.js"].map((file) =>
      JSON.stringify(new URL(file, import.meta.url).href),
    );
    const settings = JSON.stringify({ valGenerations: 0, python: python.command, proxy: null });
    const code = `import { pythonTrackers } from ${index}; import { fakeRunInfo } from ${run};
      const tracker = await pythonTrackers[0].create({ env: process.env, settings: ${settings} });
      await tracker.start(fakeRunInfo({ outputDir: ${JSON.stringify(folder)} }));
      await tracker.log({ x: 1 }, 1);
      setInterval(() => {}, 1000);`;
    const killed = spawn(process.execPath, ["--input-type=module", "-e", code], {
      env: { ...process.env, ...python.env },
      stdio: "inherit",
    });
    await python.until("log");
    killed.kill("SIGKILL");
    await once(killed, "exit");
    await python.until("end of input");
  });

  it("are built in under their clients' names, and say to `verl doctor` what they find", async () => {
    expect(builtIn.map(({ name }) => name)).to.deep.equal(["wandb", "swanlab", "trackio", "mlflow"]);
    const python = await FakePython.create(folder);
    const settings = { valGenerations: 0, python: python.command, proxy: null };
    const env = { ...process.env, ...python.env };
    expect(await builtIn[1].diagnose?.({ env, settings })).to.deep.equal([
      { name: "tracker swanlab", status: "ok", detail: `1.2.3 in ${python.command} (Python 3.12.0)` },
    ]);
    const none = { ...settings, python: path.join(folder, "none") };
    expect((await builtIn[0].diagnose?.({ env, settings: none }))?.[0]).to.include({ status: "failed" });
  });

  /** Until the imitated client's process is no more. */
  async function gone(python: FakePython): Promise<void> {
    const begun = (await python.told()).find(({ type }) => type === "process");
    // It may have been ended before it could say anything.
    if (!begun) return;
    for (;;) {
      try {
        process.kill(begun.pid as number, 0);
      } catch {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});

let shared = "";
runConformance(
  "python tracker",
  trackerConformance({
    factory: {
      name: "wandb",
      async create({ env }) {
        const python = await FakePython.create(shared);
        const settings = { valGenerations: 8, python: python.command, proxy: null };
        return pythonTracker(CLIENT).create({ env: { ...process.env, ...env, ...python.env }, settings });
      },
    },
  }),
  {
    describe(name, body) {
      describe(name, () => {
        before(async () => {
          shared = await mkdtemp(path.join(tmpdir(), "verl-python-"));
        });
        after(() => rm(shared, { recursive: true, force: true }));
        body();
      });
    },
    it,
  },
);
