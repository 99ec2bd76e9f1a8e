import { mkdir, readdir, rename, rm, truncate } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import type { PluginHost } from "../../../../core/plugin.js";
import { reproducible, reproducibleLines } from "../support/compare.js";
import { ToyFolder } from "../support/toy-run.js";

const VALIDATED = ["data.val_files=[val.jsonl]", "trainer.test_freq=2"];
const LINES = "trainer.logger=[jsonl]";

describe("core/trainer resume", () => {
  let folder: ToyFolder;
  let other: ToyFolder;
  beforeEach(async () => {
    [folder, other] = [await ToyFolder.create(), await ToyFolder.create()];
  });
  afterEach(async () => {
    await folder[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  const steps = (n: number) => `trainer.total_training_steps=${n}`;
  const weights = (from: ToyFolder, step: number) => from.read("run", `global_step_${step}`, "actor", "table.json");

  /** As earlier versions wrote checkpoints: without checksums. */
  const unseal = async (step: number) => {
    const file = path.join("run", `global_step_${step}`, "complete.json");
    await folder.write(file, JSON.stringify({ ...JSON.parse(await folder.read(file)), sha256: undefined }));
  };

  it("goes on as the run that was never interrupted, to the last bit", async () => {
    const run = [...VALIDATED, "trainer.save_freq=2"];
    const whole = await folder.train({ overrides: [...run, steps(6)] });
    await other.train({ overrides: [...run, steps(4)] });
    const resumed = await other.train({ overrides: [...run, steps(6)] });
    expect(reproducible(resumed.tracker)).to.deep.equal(reproducible(whole.tracker).slice(-2));
    expect(await weights(other, 6)).to.equal(await weights(folder, 6));
    expect(resumed.tracker.runs[0]).to.include({ startStep: 4, totalSteps: 6 });
    expect(resumed.log.join("\n")).to.include("resumed step 4");
  });

  it("brings the servers to the weights of the checkpoint before anything is sampled", async () => {
    await folder.train({ overrides: ["trainer.save_freq=2", steps(2)] });
    const versions: number[] = [];
    await folder.train({
      overrides: [steps(3)],
      register: (host) =>
        host.hooks.register({
          name: "versions",
          onInitEnd: {
            pre: ({ weightVersion }) => void versions.push(weightVersion),
            post: ({ weightVersion }) => void versions.push(weightVersion),
          },
          onStepEnd: ({ weightVersion }) => void versions.push(weightVersion),
        }),
    });
    expect(versions).to.deep.equal([-1, 2, 3]);
  });

  it("renders prompts with the clock of the first start, which every checkpoint hands on", async () => {
    const template = "{{ 'a' if strftime_now('%Y') == '2001' else 'b' }}";
    const run = [
      `actor_rollout_ref.model.custom_chat_template="${template}"`,
      "trainer.save_freq=1",
      "trainer.rollout_data_dir=dump",
    ];
    await folder.train({ overrides: [...run, steps(1)] });
    const state = (step: number) => path.join("run", `global_step_${step}`, "trainer.json");
    const first = await folder.read(state(1));
    await folder.write(state(1), first.replace(/"startedAt":"\d{4}/, '"startedAt":"2001'));
    await unseal(1);
    await folder.train({ overrides: [...run, steps(2)] });
    expect(await folder.read("dump", "1.jsonl")).to.include('"input":"b"');
    expect(await folder.read("dump", "2.jsonl"))
      .to.include('"input":"a"')
      .and.not.include('"input":"b"');
    expect(await folder.read(state(2))).to.include('"startedAt":"2001');
  });

  it("continues metrics.jsonl at the checkpoint", async () => {
    const run = [...VALIDATED, "trainer.save_freq=2"];
    await folder.train({ overrides: [...run, steps(5), LINES] });
    await other.fail({
      overrides: [...run, steps(5), LINES],
      register: (host) =>
        host.hooks.register({
          name: "crash",
          onStepBegin: async ({ globalStep }) => {
            if (globalStep === 4) throw new Error("power cut");
          },
        }),
    });
    await other.train({ overrides: [...run, steps(5), LINES] });
    const lines = async (from: ToyFolder) => reproducibleLines(await from.read("run", "metrics.jsonl"));
    expect(await lines(other)).to.deep.equal(await lines(folder));
  });

  /** Ends the process of a run right after the save of a step, as far as files can tell. */
  const killedAfterSave = async (run: readonly string[], step: number) => {
    await other.write(
      "callback.mjs",
      `export const checkpointCallback = { onSave({ globalStep }) { if (globalStep === ${step}) throw new Error("killed"); } };`,
    );
    await other.fail({ overrides: [...run, "trainer.checkpoint_callback_class=callback.mjs"] });
  };

  it("finishes a step that was saved and not logged: its metrics and its validation, also of the first and the last step", async () => {
    const run = [...VALIDATED, "trainer.save_freq=1", steps(4), LINES];
    await folder.train({ overrides: run });
    const lines = async (from: ToyFolder) => reproducibleLines(await from.read("run", "metrics.jsonl"));
    for (const step of [2, 1, 4]) {
      await rm(other.at("run"), { recursive: true, force: true });
      await killedAfterSave(run, step);
      const { reason, globalStep } = await other.train({ overrides: run });
      expect({ reason, globalStep }).to.deep.equal({ reason: "completed", globalStep: 4 });
      expect(await lines(other), `step ${step}`).to.deep.equal(await lines(folder));
      expect(await weights(other, 4)).to.equal(await weights(folder, 4));
    }
  });

  it("keeps what hooks added to the metrics of a step that was saved and not logged", async () => {
    const run = ["trainer.save_freq=1", steps(3), LINES];
    const adding = (host: PluginHost, killedAt?: number) =>
      host.hooks.register({
        name: "adding",
        onStepEnd: {
          pre: ({ globalStep, addMetric }) => addMetric("mine/before", globalStep * 10),
          post: ({ globalStep, addMetric }) => {
            addMetric("mine/after", globalStep * 100);
            if (globalStep === killedAt) throw new Error("killed");
          },
        },
      });
    await folder.train({ overrides: run, register: (host) => adding(host) });
    await other.fail({ overrides: run, register: (host) => adding(host, 2) });
    await other.train({ overrides: run, register: (host) => adding(host) });
    const lines = (text: string) => reproducibleLines(text).map((line) => JSON.stringify(line));
    const [whole, resumed] = [await folder.read("run", "metrics.jsonl"), await other.read("run", "metrics.jsonl")];
    expect(whole).to.include('"mine/before":20').and.include('"mine/after":200');
    expect(resumed).to.include('"mine/before":20');
    expect(lines(resumed.replace('"mine/after":200,', ""))).to.deep.equal(
      lines(whole.replace('"mine/after":200,', "")),
    );
  });

  it("T30: hands every row of the second pass out exactly once, resumed at the end of a pass or within it", async () => {
    const seen: Record<string, number[]> = {};
    (globalThis as { seenRows?: typeof seen }).seenRows = seen;
    for (const at of [12, 5]) {
      await using pass = await ToyFolder.create({
        reward: `export const compute_score = ({ extraInfo, solution }) => {
          (globalThis.seenRows[${at}] ??= []).push(extraInfo.index);
          return solution.length;
        };`,
      });
      const run = ["data.train_batch_size=1", "actor_rollout_ref.rollout.n=2"];
      await pass.train({ overrides: [...run, steps(at), "trainer.save_freq=100"] });
      const { globalStep } = await pass.train({
        overrides: [...run, "trainer.total_training_steps=null", "trainer.total_epochs=2"],
      });
      expect(globalStep).to.equal(24);
      const draws = seen[at].filter((_, i) => i % 2 === 0);
      expect(draws).to.have.length(24);
      const all = Array.from({ length: 12 }, (_, i) => i);
      expect(draws.slice(0, 12).sort((a, b) => a - b)).to.deep.equal(all);
      expect(draws.slice(12).sort((a, b) => a - b)).to.deep.equal(all);
    }
    expect(seen[12]).to.deep.equal(seen[5]);
  });

  it("says that a run is finished, and goes on when it is given more steps", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    const { error, tracker } = await folder.fail();
    expect(error.code).to.equal("VERL_TRAINER_FINISHED");
    expect(error.message).to.include("step 3").and.include("global_step_3").and.include("total_training_steps");
    expect((await folder.train({ overrides: [steps(4)] })).globalStep).to.equal(4);
    expect(tracker.runs).to.deep.equal([]);
  });

  it("says that a run is finished when it is given fewer steps than it has taken, also where its last step has no line in the log", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    await rm(folder.at("run", "global_step_3", "logged"));
    expect((await folder.fail({ overrides: [steps(2)] })).error.code).to.equal("VERL_TRAINER_FINISHED");
  });

  it("starts anew with resume_mode=disable, and with auto where there is nothing to resume", async () => {
    const first = await folder.train({ overrides: ["trainer.save_freq=1"] });
    const anew = await folder.train({ overrides: ["trainer.resume_mode=disable"] });
    expect(reproducible(anew.tracker)).to.deep.equal(reproducible(first.tracker));
    expect(anew.tracker.runs[0].startStep).to.equal(0);
  });

  it("goes on from the checkpoint that resume_path names, relative to the working directory", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1", "trainer.default_local_dir=elsewhere"] });
    const { tracker } = await folder.train({
      overrides: ["trainer.resume_mode=resume_path", "trainer.resume_from_path=elsewhere/global_step_2"],
    });
    expect(tracker.runs[0].startStep).to.equal(2);
    expect(tracker.steps.map(({ step }) => step)).to.deep.equal([3]);
  });

  for (const [what, from, words] of [
    ["is no checkpoint folder", "run/step2", "global_step_N"],
    ["does not exist", "run/global_step_9", "does not exist"],
  ] as const) {
    it(`refuses a resume_from_path that ${what}`, async () => {
      const { error } = await folder.fail({
        overrides: ["trainer.resume_mode=resume_path", `trainer.resume_from_path=${from}`],
      });
      expect(error.message).to.include(words.replace("global_step_N", "global_step_40"));
    });
  }

  it("refuses an incomplete checkpoint by name, and passes over it otherwise", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    await rm(folder.at("run", "global_step_3", "actor", "table.json"));
    const named = await folder.fail({
      overrides: ["trainer.resume_mode=resume_path", "trainer.resume_from_path=run/global_step_3"],
    });
    expect(named.error.code).to.equal("VERL_TRAINER_CHECKPOINT_BAD");
    expect(named.error.message).to.include("incomplete");
    const { tracker, log } = await folder.train();
    expect(tracker.runs[0].startStep).to.equal(2);
    expect(log.join("\n")).to.include(
      "warn: the run goes on from step 2, not from its newest checkpoint: global_step_3: actor/table.json is missing",
    );
  });

  it("does not begin anew in place of a run whose checkpoints are all damaged: it says what each of them is", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1", steps(2), LINES] });
    const logged = await folder.read("run", "metrics.jsonl");
    await truncate(folder.at("run", "global_step_1", "actor", "table.json"), 3);
    await rm(folder.at("run", "global_step_2", "complete.json"));
    const { error } = await folder.fail({ overrides: [steps(3), LINES] });
    expect(error.code).to.equal("VERL_TRAINER_CHECKPOINT_BAD");
    expect(error.why).to.match(
      /^global_step_2: it has no complete\.json.*\nglobal_step_1: actor\/table\.json has 3 bytes where \d+ were written$/,
    );
    expect(error.fix).to.include("trainer.resume_mode=disable");
    expect(await folder.read("run", "metrics.jsonl")).to.equal(logged);
    await folder.train({ overrides: [steps(3), LINES, "trainer.resume_mode=disable"] });
  });

  it("refuses a tracker file that holds no step", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    await folder.write("run/latest_checkpointed_iteration.txt", "three");
    const { error } = await folder.fail();
    expect(error.code).to.equal("VERL_TRAINER_CHECKPOINT_BAD");
    expect(error.message).to.include("three");
  });

  it("refuses the checkpoint of a run with another seed", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    const { error } = await folder.fail({ overrides: ["trainer.seed=7", steps(5)] });
    expect(error.code).to.equal("VERL_TRAINER_RESUME_MISMATCH");
    expect(error.message).to.include("seed=1").and.include("7");
  });

  it("refuses data of another size", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    const { error } = await folder.fail({ overrides: [steps(5), "data.train_max_samples=8"] });
    expect(error.code).to.equal("VERL_DATA_STATE_MISMATCH");
    expect(error.message).to.include("12 rows").and.include("8");
  });

  it("warns of other data of the same size", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    await folder.write("train.jsonl", (await folder.read("train.jsonl")).replace('"content":"c"', '"content":"cc"'));
    const { log } = await folder.train({ overrides: [steps(5)] });
    expect(log.join("\n")).to.include("warn: the training data is not what it was");
  });

  it("warns of nothing and goes on when the run grows longer", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1"] });
    const { tracker, log } = await folder.train({ overrides: [steps(5)] });
    expect(tracker.steps.map(({ step }) => step)).to.deep.equal([4, 5]);
    expect(log.filter((line) => line.startsWith("warn"))).to.deep.equal([]);
  });

  it("keeps a random data order that no seed was given for", async () => {
    const run = ["data.seed=null", "trainer.save_freq=1"];
    await folder.train({ overrides: [...run, steps(2), "trainer.rollout_data_dir=dump"] });
    await folder.train({ overrides: [...run, steps(3), "trainer.rollout_data_dir=dump"] });
    const prompts = async (step: number) =>
      new Set(
        (await folder.read("dump", `${step}.jsonl`))
          .trim()
          .split("\n")
          .map((line) => (JSON.parse(line) as { input: string }).input),
      );
    const pass = [...(await prompts(1)), ...(await prompts(2)), ...(await prompts(3))];
    expect(new Set(pass).size, "three steps of four prompts are one pass").to.equal(12);
  });

  it("removes the checkpoint that a killed run was about to rotate out", async () => {
    await folder.train({ overrides: ["trainer.save_freq=1", steps(2)] });
    const { tracker } = await folder.train({ overrides: ["trainer.max_actor_ckpt_to_keep=1", steps(3)] });
    expect(tracker.runs[0].startStep).to.equal(2);
    expect((await readdir(folder.at("run"))).sort()).to.deep.equal([
      "config.yaml",
      "global_step_2",
      "latest_checkpointed_iteration.txt",
      "run.json",
    ]);
  });

  it("puts a checkpoint back that was moved aside when the run was killed", async () => {
    await folder.train({ overrides: ["trainer.save_freq=3"] });
    await mkdir(folder.at("run", ".tmp-global_step_3-1"));
    await rename(folder.at("run", "global_step_3"), folder.at("run", ".old-global_step_3-1"));
    const { tracker } = await folder.train({ overrides: [steps(4)] });
    expect(tracker.runs[0].startStep).to.equal(3);
  });
});
