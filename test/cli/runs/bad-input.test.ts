import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { exitCodeOf } from "../../../cli/program/report-error.js";
import { rolloutErrors } from "../../../core/rollout/errors.js";
import { errors as onnxErrors } from "../../../engines/onnx/errors.js";
import { type ChildOutcome, FAKE_PLUGIN, verl } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";

const RUN = [...TOY_OVERRIDES, "trainer.logger=[jsonl,report]", "trainer.save_freq=1"];
const MAIN = path.resolve("dist/cli/main.js");

interface Bad {
  readonly what: string;
  readonly code: string;
  /** 2 where the input is wrong, 1 where the run failed. */
  readonly exit: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly overrides?: readonly string[];
  /** Something that the card must name. */
  readonly names: string;
}

const row = (content: string) =>
  JSON.stringify({
    prompt: [{ role: "user", content }],
    data_source: "toy",
    reward_model: { style: "rule", ground_truth: "a" },
  });

const BAD: readonly Bad[] = [
  { what: "an empty data set", code: "VERL_DATA_EMPTY", exit: 2, files: { "train.jsonl": "" }, names: "train.jsonl" },
  {
    what: "a damaged row",
    code: "VERL_DATA_BAD_ROW",
    exit: 2,
    files: { "train.jsonl": `${row("a")}\n{"prompt": [` },
    names: "train.jsonl:2",
  },
  {
    what: "a row without a prompt",
    code: "VERL_DATA_NO_PROMPT_COLUMN",
    exit: 2,
    files: { "train.jsonl": '{"question": "a"}\n' },
    names: "prompt",
  },
  {
    what: "prompts that are all beyond the limit",
    code: "VERL_DATA_EMPTY",
    exit: 2,
    overrides: ["data.max_prompt_length=1", "data.filter_overlong_prompts=true"],
    files: { "train.jsonl": [..."abcd"].map((letter) => `${row(letter.repeat(3))}\n`).join("") },
    names: "data.max_prompt_length",
  },
  {
    what: "a prompt beyond the limit that is not to be filtered",
    code: "VERL_DATA_PROMPT_TOO_LONG",
    exit: 2,
    overrides: ["data.max_prompt_length=2"],
    files: { "train.jsonl": [..."abcd"].map((letter) => `${row(letter.repeat(3))}\n`).join("") },
    names: "train.jsonl",
  },
  {
    what: "fewer prompts than a step takes",
    code: "VERL_CONFIG_NO_STEPS",
    exit: 2,
    files: { "train.jsonl": `${row("a")}\n` },
    names: "data.train_batch_size",
  },
  {
    what: "weights rounded to a type that the server does not know",
    code: "VERL_ROLLOUT_NO_QUANTIZATION",
    exit: 2,
    overrides: ["actor_rollout_ref.rollout.quantization=int3"],
    names: "int3",
  },
  {
    what: "a reward that throws",
    code: "VERL_REWARD_FAILED",
    exit: 1,
    files: { "reward.mjs": 'export const compute_score = () => { throw new Error("no judge at hand"); };' },
    names: "no judge at hand",
  },
  {
    what: "a reward that never returns",
    code: "VERL_REWARD_FAILED",
    exit: 1,
    overrides: ["reward.timeout=0.2"],
    files: { "reward.mjs": "export const compute_score = () => new Promise(() => setTimeout(() => {}, 100_000));" },
    names: "VERL_REWARD_TIMEOUT: scoring took longer than 0.2 s",
  },
  {
    what: "a reward that is no number",
    code: "VERL_REWARD_FAILED",
    exit: 1,
    files: { "reward.mjs": 'export const compute_score = () => "good";' },
    names: 'the text "good" instead of a score',
  },
  {
    what: "a reward file that cannot be imported",
    code: "VERL_USER_IMPORT_FAILED",
    exit: 2,
    files: { "reward.mjs": "\nexport const compute_score = (;" },
    names: "reward.mjs:2",
  },
  {
    what: "a reward that leaves an error behind",
    code: "VERL_USER_UNHANDLED",
    exit: 1,
    files: {
      "reward.mjs": `export const compute_score = async () => {
        Promise.reject(new Error("nobody waits for this"));
        await new Promise((resolve) => setTimeout(resolve, 20));
        return 1;
      };`,
    },
    names: "reward.mjs:2",
  },
];

/** A whole process each time; what an earlier run has left is as it was, and can be gone on from. */
describe("bad input ends a run in order", function () {
  this.timeout(60_000);
  let folder: ToyFolder;
  let before: Record<string, string>;
  beforeEach(async () => {
    folder = await ToyFolder.create();
    expect(await train("trainer.total_training_steps=1")).to.include({ code: 0 });
    before = await checkpointsOf(folder);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const train = (...overrides: string[]): Promise<ChildOutcome> =>
    verl(["train", ...RUN, ...overrides], { cwd: folder.dir });

  /** With good input again the run goes on from its checkpoint to its second step. */
  async function expectResumable(good: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, content] of Object.entries(good)) await folder.write(name, content);
    expect(pick(await checkpointsOf(folder), before)).to.deep.equal(before);
    const { code, stderr } = await train("trainer.total_training_steps=2", "trainer.logger=[console,jsonl]");
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include("resumed step 1");
  }

  for (const { what, code, exit, files = {}, overrides = [], names } of BAD) {
    it(`${what}: ${code}`, async () => {
      const good = Object.fromEntries(
        await Promise.all(Object.keys(files).map(async (name) => [name, await folder.read(name)] as const)),
      );
      for (const [name, content] of Object.entries(files)) await folder.write(name, content);
      const outcome = await train("trainer.total_training_steps=2", ...overrides);
      expect(outcome.stderr).to.include(`error ${code}\n`).and.include(names);
      expect(outcome.code, outcome.stderr).to.equal(exit);
      expect(outcome.stderr.match(/^error /gm)).to.have.length(1);
      expect(await checkpointsOf(folder)).to.deep.equal(before);
      await expectResumable(good);
    });
  }

  it("a second run in the folder is refused, and the first goes on", async () => {
    await folder.write(
      "reward.mjs",
      `import { existsSync } from "node:fs";
      export const compute_score = async ({ solution }) => {
        console.error("scoring");
        while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 5));
        return solution.length;
      };`,
    );
    let second: Promise<ChildOutcome> | undefined;
    const first = await verl(["train", ...RUN, "trainer.total_training_steps=2"], {
      cwd: folder.dir,
      onOutput: ({ stderr }) => {
        if (!stderr.includes("scoring")) return;
        second ??= train("trainer.total_training_steps=2").then(async (outcome) => {
          await folder.write("go", "");
          return outcome;
        });
      },
    });
    const refused = await second;
    expect(refused?.stderr)
      .to.include("error VERL_TRAINER_FOLDER_IN_USE")
      .and.match(/process \d+ on /);
    expect(refused?.code).to.equal(2);
    expect(first.code, first.stderr).to.equal(0);
    expect(pick(await checkpointsOf(folder), before)).to.deep.equal(before);
  });

  describe("a full disk", () => {
    /** From its first sample on, the process may let no file grow beyond so many bytes: to it the disk is full. */
    const fullFrom = (bytes: number) => `import { spawnSync } from "node:child_process";
      let full = false;
      export const compute_score = ({ solution }) => {
        full ||= spawnSync("prlimit", ["--pid", String(process.pid), "--fsize=${bytes}"]).status === 0;
        if (!full) throw new Error("prlimit, which fills the disk, did not work");
        return solution.length;
      };`;

    it("at a checkpoint: its error first, nothing half-written, and the earlier checkpoint stays", async () => {
      const reward = await folder.read("reward.mjs");
      await folder.write("reward.mjs", fullFrom(1024));
      const outcome = await train("trainer.total_training_steps=2", "trainer.logger=[console,report]");
      expect(outcome.stderr).to.include("error VERL_TRAINER_CHECKPOINT_WRITE\n").and.include("EFBIG");
      expect(outcome.stderr).to.match(/also: +the tracker "report" failed while finishing: EFBIG/);
      expect(outcome.stderr).not.to.include("VERL_TRACKING_FAILED");
      // The step was trained, though its log has not come.
      expect(outcome.stdout).to.include("ended in step 2 of 2");
      expect(outcome.stderr).to.match(
        /The newest checkpoint is that of step 1: the same command goes on from there\.\n$/,
      );
      expect(outcome.code).to.equal(1);
      const left = await readdir(folder.at("run"), { recursive: true });
      expect(left.filter((name) => /tmp|\.old/.test(name))).to.deep.equal([]);
      expect(await folder.read("run", "report.html")).to.include("</html>");
      expect(await checkpointsOf(folder)).to.deep.equal(before);
      await expectResumable({ "reward.mjs": reward });
    });

    it("at the log: the tracker is named, and the half line is no obstacle to going on", async () => {
      const reward = await folder.read("reward.mjs");
      const { size } = await stat(folder.at("run", "metrics.jsonl"));
      await folder.write("reward.mjs", fullFrom(size + 100));
      const outcome = await train("trainer.total_training_steps=2", "trainer.save_freq=-1", "trainer.logger=[jsonl]");
      expect(outcome.stderr).to.include("error VERL_TRACKING_FAILED\n").and.include('"jsonl"').and.include("EFBIG");
      expect(outcome.code).to.equal(1);
      await expectResumable({ "reward.mjs": reward });
    });

    it("at a dump of trajectories: the file is named, and only whole dumps are there", async () => {
      const reward = await folder.read("reward.mjs");
      await folder.write("reward.mjs", fullFrom(1024));
      const outcome = await train(
        "trainer.total_training_steps=2",
        "trainer.logger=[]",
        "trainer.rollout_data_dir=dumps",
      );
      expect(outcome.stderr).to.include("error VERL_TRACKING_WRITE\n").and.include(folder.at("dumps", "2.jsonl"));
      expect(outcome.code).to.equal(1);
      expect(await readdir(folder.at("dumps"))).to.deep.equal([]);
      await expectResumable({ "reward.mjs": reward });
    });

    it("before the run: the file is named, and those of the earlier run are whole", async () => {
      const config = await folder.read("run", "config.yaml");
      const small = 'ulimit -f 4; exec "$@"';
      const child = spawn("bash", ["-c", small, "bash", process.execPath, MAIN, "train", ...RUN], {
        cwd: folder.dir,
        env: { ...process.env, NO_COLOR: "1", VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
      expect(stderr).to.include("error VERL_TRACKING_WRITE\n").and.include("config.yaml").and.include("EFBIG");
      expect(code).to.equal(1);
      expect(await folder.read("run", "config.yaml")).to.equal(config);
      await expectResumable({});
    });
  });
});

/** Digests of all files of checkpoints, and of the file that names the newest. */
async function checkpointsOf(folder: ToyFolder): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder.at("run"), { recursive: true, withFileTypes: true })) {
    const name = path.relative(folder.at("run"), path.join(entry.parentPath, entry.name));
    if (!entry.isFile() || !/^(global_step_|latest_)/.test(name)) continue;
    found[name] = createHash("sha256")
      .update(await readFile(folder.at("run", name)))
      .digest("hex");
  }
  return found;
}

/** The members of `all` that `some` has too, but for what names the newest checkpoint. */
const pick = (all: Readonly<Record<string, string>>, some: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(some).map((name) => [name, name.startsWith("latest_") ? some[name] : all[name]]));

describe("exit codes", () => {
  it("say that the input is wrong where an option of a server or an engine is", () => {
    expect(exitCodeOf(rolloutErrors.VERL_ROLLOUT_BAD_OPTION({ what: "more tokens than positions" }))).to.equal(2);
    expect(exitCodeOf(onnxErrors.VERL_ONNX_BAD_OPTION({ what: "an unknown name" }))).to.equal(2);
  });
});
