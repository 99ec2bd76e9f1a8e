import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";
import { exitCodeOf } from "../../../cli/program/report-error.js";
import { RUN_LOCK_FILE, RunLock } from "../../../core/trainer/run-lock.js";
import { trackerErrors } from "../../../plugins/trackers/errors.js";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { FakePython } from "../../plugins/trackers/fake-python.js";
import { type CliResult, cli } from "../support.js";

describe("folders and trackers of a run, before models are loaded", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const train = (args: readonly string[], env: Record<string, string> = {}) =>
    cli(["train", ...TOY_OVERRIDES, ...args], {
      cwd: folder.dir,
      env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN, PATH: process.env.PATH ?? "", ...env },
    });
  const filesOf = async (dir: string) =>
    new Map(
      await Promise.all(
        (await readdir(folder.at(dir))).map(
          async (name) => [name, await readFile(folder.at(dir, name), "utf8").catch(() => null)] as const,
        ),
      ),
    );
  /** Refused, and nothing was loaded. */
  const expectEarly = ({ code, stderr }: CliResult, ...texts: string[]) => {
    expect(code, stderr).to.equal(2);
    for (const text of texts) expect(stderr).to.include(text);
    expect(stderr).not.to.include("training data");
  };

  it("refuses a tracker's folder that cannot be written, and leaves what an earlier run logged", async () => {
    const logging = ["trainer.resume_mode=disable", "trainer.logger=[jsonl, report, tensorboard]"];
    const whole = await train(logging, { TENSORBOARD_DIR: folder.at("events") });
    expect(whole.code, whole.stderr).to.equal(0);
    const before = await filesOf("run");
    expectEarly(
      await train(logging, { TENSORBOARD_DIR: folder.at("reward.mjs", "events") }),
      "VERL_TRACKER_UNWRITABLE",
      "the tracker tensorboard",
      "TENSORBOARD_DIR",
    );
    expect(await filesOf("run")).to.deep.equal(before);
  });

  it("leaves what an earlier run logged, and its configuration, where a later tracker does not begin", async () => {
    const args = ["trainer.resume_mode=disable", "trainer.logger=[jsonl, report]"];
    expect((await train(args)).code).to.equal(0);
    const before = await filesOf("run");
    const fake = await FakePython.create(folder.dir, "refuses");
    const refused = await train(
      [...args.slice(0, 1), "trainer.logger=[jsonl, report, wandb]", "trainer.total_training_steps=2"],
      { ...fake.env, VERL_TRACKER_PYTHON: fake.command },
    );
    expect(refused.stderr).to.include("VERL_TRACKER_START_FAILED");
    expect(await filesOf("run")).to.deep.equal(before);
  });

  it("tells of every tracker that could not start, at once", async () => {
    const fake = await FakePython.create(folder.dir);
    const refused = await train(["trainer.logger=[tensorboard, wandb]"], {
      ...fake.env,
      VERL_TRACKER_PYTHON: fake.command,
      TENSORBOARD_DIR: folder.at("reward.mjs", "events"),
      WANDB_API_KEY: '"a key in quotes"',
    });
    expectEarly(refused, "TENSORBOARD_DIR", "also:", "WANDB_API_KEY", "in quotes");
    expect(refused.stderr).not.to.include("a key in quotes");
  });

  it("refuses a tracker without its client, which is a matter of the input, as every tracker's code is", async () => {
    const fake = await FakePython.create(folder.dir, "is not installed");
    const env = { ...fake.env, VERL_TRACKER_PYTHON: fake.command };
    expectEarly(
      await train(["trainer.logger=[mlflow]"], env),
      "VERL_TRACKER_NOT_INSTALLED",
      "trainer.logger",
      "trainer.tracker_python",
    );
    const { VERL_TRACKER_START_FAILED: ofServers, ...ofInput } = trackerErrors;
    for (const [code, make] of Object.entries(ofInput)) {
      if (typeof make === "function") expect(exitCodeOf(make({ what: "x" })), code).to.equal(2);
    }
    expect(exitCodeOf(ofServers({ what: "x" }))).to.equal(1);
  });

  const WRONG = { WANDB_API_KEY: "one two", WANDB_BASE_URL: "api.example.com", WANDB_MODE: "ofline" };
  for (const [name, value] of Object.entries(WRONG)) {
    it(`refuses what a client would refuse later: ${name}=${value}`, async () => {
      const fake = await FakePython.create(folder.dir);
      const env = { ...fake.env, VERL_TRACKER_PYTHON: fake.command, [name]: value };
      expectEarly(await train(["trainer.logger=[wandb]"], env), "VERL_TRACKER_BAD_SETTING", name);
      expect(await fake.told()).to.deep.equal([]);
    });
  }

  const KEYS = ["default_local_dir", "output_dir", "rollout_data_dir", "validation_data_dir"];
  for (const key of KEYS) {
    it(`refuses a folder that cannot be made: trainer.${key}`, async () => {
      for (const more of [[], ["--dry-run"]]) {
        const refused = await train([`trainer.${key}=reward.mjs/x`, "trainer.logger=[jsonl]", ...more]);
        expectEarly(refused, "VERL_TRAINER_FOLDER_UNUSABLE", `trainer.${key}`);
      }
    });
  }

  describe("--dry-run", () => {
    it("refuses trackers as a run would, and leaves nothing behind", async () => {
      const before = await readdir(folder.dir);
      const env = { TENSORBOARD_DIR: folder.at("reward.mjs", "events") };
      expectEarly(await train(["trainer.logger=[tensorboard]", "--dry-run"], env), "VERL_TRACKER_UNWRITABLE");
      const fine = await train(["trainer.logger=[jsonl, report, tensorboard]", "--dry-run"]);
      expect(fine.code, fine.stderr).to.equal(0);
      expect(await readdir(folder.dir)).to.deep.equal(before);
    });

    it("refuses a folder that another run is using", async () => {
      const lock = await RunLock.acquire(folder.at("run"));
      try {
        expectEarly(await train(["--dry-run"]), "VERL_TRAINER_FOLDER_IN_USE");
        expect(await readdir(folder.at("run"))).to.deep.equal([RUN_LOCK_FILE]);
      } finally {
        await lock.release();
      }
    });

    it("says how much is free for checkpoints", async () => {
      const { stdout } = await train(["--dry-run", "trainer.save_freq=1"]);
      expect(stdout).to.match(/^Checkpoints: every step and after the last one \(run; [\d.]+ [KMG]iB free\)\.$/m);
      const { plan } = (await train(["--dry-run", "--json"])).json<{ plan: { freeBytes: number } }>();
      expect(plan.freeBytes).to.be.above(0);
    });
  });
});
