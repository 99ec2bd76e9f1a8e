import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { CONFIG_FILE, METRICS_FILE, metricsLine, SAMPLES_FILE, trajectoryLine } from "../../core/tracking/index.js";
import { fakeTrajectory } from "../../testing/index.js";
import { readEvents, scalarsOf } from "../plugins/trackers/event-reader.js";
import { type FakeBehaviour, FakePython } from "../plugins/trackers/fake-python.js";
import { cli } from "./support.js";

const TIME = new Date("2026-01-02T03:04:05.000Z");
const METRICS = [
  metricsLine(0, { "val/acc": 0.5 }, TIME),
  metricsLine(1, { "actor/loss": 0.25, "actor/entropy": Number.NaN }, TIME),
];

describe("verl export --to", () => {
  let cwd = "";
  const metricsFile = () => path.join(cwd, "run", METRICS_FILE);
  before(async () => {
    cwd = await mkdtemp(path.join(os.tmpdir(), "verl-export-to-"));
    await mkdir(path.join(cwd, "run"));
    await writeFile(metricsFile(), `${METRICS.join("\n")}\n`);
    const samples = [fakeTrajectory(), fakeTrajectory({ split: "val", step: 0 })];
    await writeFile(
      path.join(cwd, "run", SAMPLES_FILE),
      samples.map((sample) => `${trajectoryLine(sample)}\n`).join(""),
    );
    const config = `trainer:\n  project_name: mine\n  log_val_generations: 3\n  tracker_python: ./never-run\napi_key: "********"\n`;
    await writeFile(path.join(cwd, "run", CONFIG_FILE), config);
  });
  after(() => rm(cwd, { recursive: true }));

  const to = (tracker: string, env: Record<string, string> = {}, ...args: string[]) =>
    cli(["export", "run", "--to", tracker, ...args], { cwd, env });
  async function python(behaviour: FakeBehaviour = "works") {
    const folder = await mkdtemp(path.join(cwd, "python-"));
    const fake = await FakePython.create(folder, behaviour);
    return { fake, env: { ...fake.env, PATH: process.env.PATH ?? "", VERL_TRACKER_PYTHON: fake.command } };
  }

  it("writes event files with the times at which the steps were logged", async () => {
    const folder = path.join(cwd, "events");
    const { code, stderr } = await to(
      "tensorboard",
      { TENSORBOARD_DIR: folder },
      "--metric",
      "val/*",
      "--metric",
      "*loss",
    );
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include("2 steps are in tensorboard");
    const events = await readEvents(folder);
    expect(scalarsOf(events)).to.deep.equal([
      ["val/acc", 0, 0.5],
      ["actor/loss", 1, 0.25],
    ]);
    const logged = events.find(({ values }) => values.some(({ tag }) => tag === "val/acc"));
    expect(logged?.wallTime).to.equal(TIME.getTime() / 1000);
    await to("tensorboard", { TENSORBOARD_DIR: folder });
    expect(scalarsOf(await readEvents(folder))).to.have.length(3);
  });

  it("writes into a folder of its own, not where the run itself may be writing", async () => {
    const { code, stderr } = await to("tensorboard");
    expect(code, stderr).to.equal(0);
    expect(await readEvents(path.join(cwd, "run", "exports", "tensorboard"))).to.not.be.empty;
    expect(existsSync(path.join(cwd, "tensorboard_log"))).to.equal(false);
  });

  it("hands a run to a client, with its names, its configuration and its validation samples", async () => {
    const { fake, env } = await python();
    const { code, json, stderr } = await to("wandb", env, "--json");
    expect(code, stderr).to.equal(0);
    expect(json()).to.deep.equal({ to: "wandb", steps: 2, complete: true });
    const [, start, ...rest] = await fake.told();
    expect(start).to.deep.include({ project: "mine", experiment: "run", resumed: false });
    expect(rest.map(({ type, step, time }) => [type, step, time])).to.deep.equal([
      ["table", 0, TIME.getTime() / 1000],
      ["log", 0, TIME.getTime() / 1000],
      ["log", 1, TIME.getTime() / 1000],
      ["finish", undefined, undefined],
    ]);
  });

  it("hands a renamed run over under the name that it has now", async () => {
    await cp(path.join(cwd, "run"), path.join(cwd, "old"), { recursive: true });
    const config = await readFile(path.join(cwd, "run", CONFIG_FILE), "utf8");
    const named = config.replace("trainer:\n", "trainer:\n  experiment_name: M1\n  output_dir: checkpoints/mine/M1\n");
    await writeFile(path.join(cwd, "old", CONFIG_FILE), named);
    const { fake, env } = await python();
    const { code, stderr } = await cli(["export", "old", "--to", "wandb"], { cwd, env });
    expect(code, stderr).to.equal(0);
    expect((await fake.told())[1]).to.deep.include({ project: "mine", experiment: "old" });
  });

  it("fails where not everything was taken", async () => {
    const refusing = await python("refuses");
    expect((await to("trackio", refusing.env)).stderr).to.include("VERL_TRACKER_START_FAILED");
    const ending = await python("ends at step 1");
    const { code, json } = await to("wandb", ending.env, "--json");
    expect(code).to.equal(1);
    expect(json()).to.include({ complete: false });
  });

  it("leaves the run's own files alone", async () => {
    const before = await readFile(metricsFile(), "utf8");
    const { code, stderr } = await to("jsonl");
    expect(code, stderr).to.equal(0);
    expect(await readFile(metricsFile(), "utf8")).to.equal(before);
    expect(await readdir(path.join(cwd, "run", "exports", "jsonl"))).to.include(METRICS_FILE);
  });

  it("names the targets there are for one that there is not, and for one that keeps nothing", async () => {
    const unknown = await to("tensorbord");
    expect(unknown.code).to.equal(2);
    expect(unknown.stderr).to.include('Did you mean "tensorboard"?').and.include("jsonl, mlflow").and.include("--to");
    expect(unknown.stderr).not.to.include("console");
    const shown = await to("console");
    expect(shown.code).to.equal(2);
    expect(shown.stderr).to.include("keeps nothing");
  });

  it("names its own option and the installation where a client is missing", async () => {
    const { fake, env } = await python("is not installed");
    for (const tracker of ["wandb", "mlflow"]) {
      const { code, stderr } = await to(tracker, env);
      expect(code).to.equal(2);
      expect(stderr).to.include("where: --to").and.include(`${fake.command} -m pip install ${tracker}`);
      expect(stderr).not.to.include("trainer.");
    }
    const none = await to("wandb", { VERL_TRACKER_PYTHON: "./nowhere" });
    expect(none.stderr).to.include("VERL_TRACKER_NO_PYTHON").and.include("--to").and.include("pip install wandb");
    expect(none.stderr).not.to.include("trainer.");
  });

  it("refuses a place that cannot be written before anything is handed over", async () => {
    const { code, stderr } = await to("tensorboard", { TENSORBOARD_DIR: path.join(metricsFile(), "events") });
    expect(code).to.equal(2);
    expect(stderr).to.include("VERL_TRACKER_UNWRITABLE").and.include("TENSORBOARD_DIR");
  });

  it("refuses a file beside a tracker", async () => {
    const { code, stderr } = await to("tensorboard", {}, "-o", "a.csv");
    expect(code).to.equal(2);
    expect(stderr).to.include("not both at once");
  });
});
