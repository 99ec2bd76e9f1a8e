import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { checkOutput, OutputFile, outputFolder, writeOutput } from "../../cli/program/output-file.js";
import { METRICS_FILE, metricsLine } from "../../core/tracking/index.js";
import { FAKE_PLUGIN } from "../core/trainer/support/child.js";
import { ToyFolder } from "../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../core/trainer/support/toy-task.js";
import { cli } from "./support.js";

describe("an output that cannot be written", () => {
  // Nothing of what they would read is there: that would be the error of any work.
  const commands = {
    "a profile's trace": ["profile", "--trace"],
    "generated answers": ["generate", "--output"],
    "a page of trajectories": ["inspect", "nowhere", "--html"],
    "a page of runs": ["compare", "nowhere", "nobody", "--html"],
    "a table": ["export", "nowhere", "--format", "csv", "-o"],
    "a lock of plugins": ["plugins", "list", "--write-lock="],
  };
  const places = [
    ["no/where.json", "there is no folder"],
    ["reward.mjs/a.json", "reward.mjs is no folder"],
    ["tokenizer", "a folder of this name"],
  ];
  const withPlace = (args: readonly string[], place: string) => {
    const last = args.at(-1) ?? "";
    return last.endsWith("=") ? [...args.slice(0, -1), `${last}${place}`] : [...args, place];
  };
  let folder: ToyFolder;
  before(async () => {
    folder = await ToyFolder.create();
  });
  after(() => folder[Symbol.asyncDispose]());

  for (const [what, args] of Object.entries(commands)) {
    it(`is refused before the work: ${what}`, async () => {
      for (const [place, why] of places) {
        const { code, stderr } = await cli(withPlace(args, place), { cwd: folder.dir });
        expect(stderr).to.include("VERL_CLI_OUTPUT").and.include(folder.at(place)).and.include(why);
        expect(code).to.equal(2);
      }
    });
  }

  it("is refused before the work: a rollout's folder", async () => {
    const place = "reward.mjs/steps";
    const { code, stderr } = await cli(["debug", "rollout", "--output", place], { cwd: folder.dir });
    expect(stderr).to.include("VERL_CLI_OUTPUT").and.include(folder.at(place));
    expect(code).to.equal(2);
  });

  it("is refused where the command reads from it", async () => {
    await mkdir(folder.at("run"));
    const line = `${metricsLine(1, { x: 1 })}\n`;
    await folder.write(`run/${METRICS_FILE}`, line);
    const refused = [
      ["export", "run", "-o", `run/${METRICS_FILE}`],
      ["inspect", `run/${METRICS_FILE}`, "--html", `run/${METRICS_FILE}`],
      ["generate", "data.train_files=[train.jsonl]", "actor_rollout_ref.model.path=.", "--output", "train.jsonl"],
    ];
    for (const args of refused) {
      const { code, stderr } = await cli(args, { cwd: folder.dir });
      expect(stderr, args.join(" ")).to.include("VERL_CLI_OUTPUT").and.include("the command reads this file");
      expect(code).to.equal(2);
    }
    expect(await folder.read("run", METRICS_FILE)).to.equal(line);
  });

  it("loses nothing of a profile: its result comes before the trace", async () => {
    await mkdir(folder.at("traces"));
    await folder.write(
      "removing.mjs",
      `import { rmSync } from "node:fs";
       export const compute_score = ({ solution }) => {
         rmSync("traces", { recursive: true, force: true });
         return solution.length;
       };`,
    );
    const env = { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN };
    const before = process.cwd();
    process.chdir(folder.dir);
    try {
      const { code, stdout, stderr } = await cli(
        [
          "profile",
          ...TOY_OVERRIDES,
          "reward.custom_reward_function.path=removing.mjs",
          "--steps",
          "1",
          "--trace",
          "traces/a.json",
        ],
        { cwd: folder.dir, env },
      );
      expect(stdout).to.match(/step/);
      expect(stderr).to.include("VERL_CLI_OUTPUT").and.include(folder.at("traces"));
      expect(code).to.equal(2);
    } finally {
      process.chdir(before);
    }
  });
});

describe("cli/program/output-file", () => {
  let folder = "";
  const at = (name: string) => path.join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "verl-output-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("leaves what is there until the new content is complete, and nothing beside it", async () => {
    await writeFile(at("a"), "old");
    const first = await OutputFile.open(at("a"));
    await first.write({ x: 1 });
    expect(await readFile(at("a"), "utf8")).to.equal("old");
    await first.discard();
    expect(await readdir(folder)).to.deep.equal(["a"]);
    await writeOutput(at("a"), "new");
    expect(await readFile(at("a"), "utf8")).to.equal("new");
    expect(await readdir(folder)).to.deep.equal(["a"]);
  });

  it("writes to where a link leads", async () => {
    await writeFile(at("a"), "old");
    await symlink("a", at("link"));
    await writeOutput(at("link"), "new");
    expect((await lstat(at("link"))).isSymbolicLink()).to.equal(true);
    expect(await readFile(at("a"), "utf8")).to.equal("new");
  });

  it("writes to a pipe, and leaves it a pipe", async () => {
    await promisify(execFile)("mkfifo", [at("pipe")]);
    await checkOutput(at("pipe"));
    const [read] = await Promise.all([readFile(at("pipe"), "utf8"), writeOutput(at("pipe"), "new")]);
    expect(read).to.equal("new");
    expect((await lstat(at("pipe"))).isFIFO()).to.equal(true);
  });

  it("leaves nothing behind by a look, and makes folders where a folder is asked for", async () => {
    await checkOutput(at("a"));
    expect(await readdir(folder)).to.deep.equal([]);
    await outputFolder(at("x/y"));
    expect(await readdir(at("x/y"))).to.deep.equal([]);
  });
});
