import { rename, rm, truncate } from "node:fs/promises";
import { expect } from "chai";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const RUN = [...TOY_OVERRIDES, "trainer.logger=[]", "trainer.save_freq=1", "trainer.rollout_data_dir=rollouts"];

interface Listing {
  readonly checkpoints: { readonly step: number; readonly complete: boolean; readonly logged: boolean }[];
  readonly resume: {
    readonly step: number;
    readonly next: { readonly draw: number; readonly uid: string; readonly row: number };
  } | null;
}

describe("checkpoints and resuming", () => {
  let folder: ToyFolder;
  const verl = (...args: string[]) => cli(args, { cwd: folder.dir, env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN } });
  const train = (steps: number, ...args: string[]) =>
    verl("train", ...RUN, `trainer.total_training_steps=${steps}`, ...args);
  beforeEach(async () => {
    folder = await ToyFolder.create();
    const { code, stderr } = await train(2);
    expect(code, stderr).to.equal(0);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const firstOf = async (step: number) => {
    const [line] = (await folder.read("rollouts", `${step}.jsonl`)).split("\n");
    const { uid, trajectory } = JSON.parse(line) as { uid: string; trajectory: { origin: string } };
    return { uid: uid.split("_")[0], origin: trajectory.origin };
  };

  it("verl checkpoints lists them, and names the prompt that is drawn next", async () => {
    const { code, stdout } = await verl("checkpoints", "run");
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^step +files +metrics +size +written/)
      .and.match(/\n2 +complete +logged +[\d.]+ [KM]iB +\d{4}-/);
    const { resume } = (await verl("checkpoints", "run", "--json")).json<Listing>();
    expect(resume).to.deep.include({ step: 2 });
    await train(3);
    expect(resume?.next.uid, "what the resumed run drew").to.equal((await firstOf(3)).uid);
    expect(stdout).to.include(
      `Next: step 3, draw ${resume?.next.draw} (${resume?.next.uid}), row ${resume?.next.row} in pass 1`,
    );
  });

  it("verl checkpoints tells incomplete ones, of which a run does not go on", async () => {
    await truncate(folder.at("run", "global_step_2", "data.json"), 3);
    const { checkpoints, resume } = (await verl("checkpoints", "run", "--json")).json<Listing>();
    expect(checkpoints.map(({ step, complete }) => [step, complete])).to.deep.equal([
      [1, true],
      [2, false],
    ]);
    expect(resume?.step).to.equal(1);
    await rm(folder.at("run", "global_step_1", "complete.json"));
    expect((await verl("checkpoints", "run")).stdout)
      .to.include("None of them is complete")
      .and.include("incomplete: it has no complete.json")
      .and.include("incomplete: data.json has 3 bytes where");
    expect((await verl("checkpoints", "tokenizer")).stderr).to.include("VERL_CLI_NO_CHECKPOINT");
    expect((await verl("checkpoints", "nowhere")).stderr).to.include("no such file");
  });

  it("looks at the folder that is named, also where its run was kept elsewhere, or another one has its name by now", async () => {
    const outputs = ["trainer.output_dir=logs", "trainer.default_local_dir=logs/kept"];
    expect((await train(1, ...outputs)).code).to.equal(0);
    await rename(folder.at("logs"), folder.at("old"));
    expect((await train(2, ...outputs)).code).to.equal(0);
    const stepsOf = async (place: string) =>
      (await verl("checkpoints", place, "--json")).json<Listing>().checkpoints.map(({ step }) => step);
    expect(await stepsOf("old")).to.deep.equal([1]);
    await rename(folder.at("old", "kept", "global_step_1"), folder.at("old", "global_step_7"));
    expect(await stepsOf("old")).to.deep.equal([7]);
  });

  it("does not promise that the same command goes on where it refused the checkpoint or the configuration", async () => {
    const other = await train(4, "trainer.seed=5");
    expect(other.stderr).to.include("VERL_TRAINER_RESUME_MISMATCH").and.not.include("goes on from there");
    await folder.write("hooks.mjs", 'export const onStepBegin = () => { throw new Error("later"); };');
    const failed = await train(4, "trainer.hooks=[hooks.mjs]");
    expect(failed.code).to.equal(1);
    expect(failed.stderr).to.include("step 2: the same command goes on from there");
    const anew = await train(4, "trainer.hooks=[hooks.mjs]", "trainer.resume_mode=disable");
    expect(anew.code).to.equal(1);
    expect(anew.stderr, "the checkpoint is of another run").not.to.include("goes on from there");
  });

  it("--dry-run says which damaged checkpoints are passed over, and refuses where no other is left", async () => {
    await truncate(folder.at("run", "global_step_2", "data.json"), 3);
    const passed = await train(4, "--dry-run");
    expect(passed.code, passed.stderr).to.equal(0);
    expect(passed.stderr).to.include("goes on from step 1").and.include("global_step_2: data.json has 3 bytes");
    const { notices } = (await train(4, "--dry-run", "--json")).json<{ notices: { key: string }[] }>();
    expect(notices.map(({ key }) => key)).to.include("trainer.resume_mode");
    await rm(folder.at("run", "global_step_1", "complete.json"));
    const refused = await train(4, "--dry-run");
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include("VERL_TRAINER_CHECKPOINT_BAD").and.include("global_step_1: it has no");
  });

  it("a resumed run says what it restored and which row comes next, and --dry-run says it before", async () => {
    const dry = await train(4, "--dry-run");
    expect(dry.stdout).to.match(
      /^Resume: step 2 from .*global_step_2: actor \(.*\), order of the data, controllers\.\n {2}next: step 3, draw 8 \(/,
    );
    const { resume } = (await train(4, "--dry-run", "--json")).json<{
      plan: { resume: { next: { uid: string; origin: string } } };
    }>().plan;
    const { stderr } = await train(3);
    const { uid, origin } = await firstOf(3);
    expect(resume.next).to.include({ uid, origin });
    expect(stderr).to.include("resumed step 2 from").and.include(`next: step 3, draw 8 (${uid}), ${origin} in pass 1`);
  });

  it("--dry-run refuses a resume as the run would: another seed, other rows, a part that cannot be read", async () => {
    await folder.write("fewer.jsonl", (await folder.read("train.jsonl")).split("\n").slice(0, 8).join("\n"));
    for (const [args, words] of [
      [["trainer.seed=5"], ["VERL_TRAINER_RESUME_MISMATCH", "set trainer.seed=1"]],
      [["data.train_files=[fewer.jsonl]"], ["VERL_DATA_STATE_MISMATCH", "12 rows"]],
      [["data.sampler.name=sequential"], ["VERL_DATA_STATE_MISMATCH", "sequential"]],
    ] as const) {
      const [dry, run] = [await train(6, ...args, "--dry-run"), await train(6, ...args)];
      const card = (text: string) => text.slice(text.indexOf("error "));
      expect(card(dry.stderr)).to.equal(card(run.stderr));
      expect(dry.code).to.equal(run.code).and.not.equal(0);
      expect(dry.stdout).not.to.include("Resume:");
      for (const word of words) expect(dry.stderr).to.include(word);
    }
    await folder.write("train.jsonl", (await folder.read("train.jsonl")).replace('"content":"c"', '"content":"cc"'));
    const warned = await train(6, "--dry-run");
    expect(warned.code).to.equal(0);
    expect(warned.stderr).to.include("the training data is not what it was");
  });

  it("a finished run says so with an exit code of its own, dry or not", async () => {
    for (const args of [[], ["--dry-run"]]) {
      const { code, stderr } = await train(2, ...args);
      expect(code).to.equal(3);
      expect(stderr).to.include("VERL_TRAINER_FINISHED").and.include("raise trainer.total_training_steps");
    }
    expect((await train(2, "--json")).json<{ exitCode: number }>().exitCode).to.equal(3);
    expect((await train(2, "trainer.resume_mode=disable")).code).to.equal(0);
  });
});
