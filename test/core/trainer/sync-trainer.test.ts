import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { expect } from "chai";
import { ToyFolder } from "./support/toy-run.js";

/** Names of the metrics reference that every step of a plain run logs. */
const EVERY_STEP = [
  "training/global_step",
  "training/epoch",
  ...spread("training/num_turns"),
  ...spread("critic/score"),
  ...spread("critic/rewards"),
  ...spread("critic/advantages"),
  ...spread("critic/returns"),
  ...spread("response_length"),
  "response_length/clip_ratio",
  ...spread("response_length_non_aborted"),
  "response/aborted_ratio",
  ...spread("prompt_length"),
  "prompt_length/clip_ratio",
  ...spread("training/off_policy/trajectory_spans"),
  ...spread("training/off_policy/trajectory_staleness"),
  ...spread("training/off_policy/trajectory_staleness_worst"),
  ...["pg_loss", "pg_clipfrac", "ppo_kl", "pg_clipfrac_lower", "entropy", "grad_norm", "lr", "loss"].map(
    (name) => `actor/${name}`,
  ),
  ...["valid", "max", "mean", "std"].map((name) => `training/rollout_probs_diff_${name}`),
  "training/rollout_actor_probs_pearson_corr",
  ...["mean", "p99.9", "max"].map((name) => `training/sampler_gap/${name}`),
  ...["training_ppl", "rollout_ppl", "kl", "k3_kl", "log_ppl_diff", "chi2_token"].map((name) => `rollout_corr/${name}`),
  ...["min", "max", "minmax_diff", "balanced_min", "balanced_max", "mean"].map((name) => `global_seqlen/${name}`),
  ...["total_num_tokens", "time_per_step", "throughput"].map((name) => `perf/${name}`),
  ...["gen", "old_log_prob", "adv", "update_actor", "update_weights", "step"].map((name) => `timing_s/${name}`),
  ...["gen", "adv", "update_actor"].map((name) => `timing_per_token_ms/${name}`),
  "training/uniform_groups",
  ...["no_log_probs", "no_score", "no_tokens"].map((name) => `training/untrainable/${name}`),
];

function spread(name: string): string[] {
  return ["mean", "max", "min"].map((statistic) => `${name}/${statistic}`);
}

/** Kept whatever is saved and tracked. */
const RUN_FILES = ["config.yaml", "run.json"];

describe("core/trainer/sync-trainer", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  it("raises the reward of a trivial task", async () => {
    await using easy = await ToyFolder.create({
      prompts: ["b", "b", "b", "b"],
      reward: "export const compute_score = ({ solution }) => Number(solution === 'a');",
    });
    const { tracker } = await easy.train({
      overrides: [
        "trainer.total_training_steps=10",
        "actor_rollout_ref.actor.optim.lr=1",
        "data.max_response_length=1",
        "actor_rollout_ref.rollout.n=16",
      ],
    });
    const rewards = tracker.series("critic/rewards/mean");
    expect(rewards).to.have.length(10);
    expect(rewards[0]).to.be.below(0.3);
    expect(rewards[9]).to.be.above(0.8);
  });

  it("logs the metrics of the reference on every step, steps and epochs counted as there", async () => {
    const { tracker, metrics } = await folder.train({ overrides: ["trainer.total_training_steps=4"] });
    expect(tracker.steps.map(({ step }) => step)).to.deep.equal([1, 2, 3, 4]);
    for (const { metrics: logged } of tracker.steps) expect(logged).to.include.all.keys(EVERY_STEP);
    expect(tracker.series("training/global_step")).to.deep.equal([1, 2, 3, 4]);
    expect(tracker.series("training/epoch"), "three steps of four prompts in a pass over twelve rows").to.deep.equal([
      0, 0, 0, 1,
    ]);
    expect(metrics).to.deep.equal(tracker.steps[3].metrics);
  });

  it("measures no gap between sampler and trainer that hold the same weights", async () => {
    const { tracker } = await folder.train();
    for (const gap of tracker.series("training/sampler_gap/max")) expect(gap).to.be.below(1e-6);
    expect(tracker.series("training/off_policy/trajectory_staleness/max")).to.deep.equal([0, 0, 0]);
  });

  describe("saving and validating", () => {
    const VALIDATED = ["data.val_files=[val.jsonl]"];

    it("never happen with frequencies of 0 or less, the last step included", async () => {
      const { tracker, validations } = await folder.train({
        overrides: [...VALIDATED, "trainer.val_before_train=false", "trainer.save_freq=0", "trainer.test_freq=-1"],
      });
      expect(validations).to.deep.equal([]);
      expect(
        tracker.steps.flatMap(({ metrics }) => Object.keys(metrics)).filter((n) => n.startsWith("val-")),
      ).to.deep.equal([]);
      expect((await readdir(folder.at("run"))).sort()).to.deep.equal(RUN_FILES);
    });

    it("happen every so many steps and after the last one", async () => {
      const { validations } = await folder.train({
        overrides: [
          ...VALIDATED,
          "trainer.total_training_steps=5",
          "trainer.val_before_train=false",
          "trainer.save_freq=2",
          "trainer.test_freq=3",
        ],
      });
      expect(validations.map(({ step }) => step)).to.deep.equal([3, 5]);
      expect((await readdir(folder.at("run"))).sort()).to.deep.equal([
        "config.yaml",
        "global_step_2",
        "global_step_4",
        "global_step_5",
        "latest_checkpointed_iteration.txt",
        "run.json",
      ]);
    });

    it("keep the newest checkpoints that are asked for", async () => {
      await folder.train({ overrides: ["trainer.save_freq=1", "trainer.max_actor_ckpt_to_keep=2"] });
      expect((await readdir(folder.at("run"))).sort()).to.deep.equal([
        "config.yaml",
        "global_step_2",
        "global_step_3",
        "latest_checkpointed_iteration.txt",
        "run.json",
      ]);
      expect(await folder.read("run", "latest_checkpointed_iteration.txt")).to.equal("3");
    });

    it("validation before training is logged as step 0, later ones with their step", async () => {
      const { tracker } = await folder.train({ overrides: [...VALIDATED, "trainer.test_freq=2"] });
      const name = "val-core/toy/acc/mean@1";
      expect(tracker.steps.filter(({ metrics }) => name in metrics).map(({ step }) => step)).to.deep.equal([0, 2, 3]);
      expect(tracker.steps.map(({ step }) => step)).to.deep.equal([0, 1, 2, 3]);
      expect(tracker.steps[0].metrics).to.include({ "val-aux/num_samples": 2, "val-aux/num_turns/mean": 2 });
      expect(Object.keys(tracker.steps[0].metrics).filter((key) => /best|worst|std@/.test(key))).to.deep.equal([]);
    });

    it("val_only stops after the first validation and needs no training data", async () => {
      const { tracker, reason, globalStep } = await folder.train({
        overrides: [...VALIDATED, "trainer.val_only=true", "data.train_files=[]"],
      });
      expect({ reason, globalStep }).to.deep.equal({ reason: "completed", globalStep: 0 });
      expect(tracker.steps.map(({ step }) => step)).to.deep.equal([0]);
      expect(tracker.outcomes).to.deep.equal([{ exitCode: 0 }]);
    });

    it("validation repeats the same draws, so that scores differ by the weights alone", async () => {
      const { validations } = await folder.train({
        overrides: [
          ...VALIDATED,
          "trainer.test_freq=1",
          "trainer.critic_warmup=3",
          "actor_rollout_ref.actor.optim.lr=5",
          "actor_rollout_ref.rollout.val_kwargs.temperature=1",
          "actor_rollout_ref.rollout.val_kwargs.n=8",
        ],
      });
      expect(validations.map(({ step }) => step)).to.deep.equal([0, 1, 2, 3]);
      const [before, ...frozen] = validations.slice(0, 3).map(({ metrics }) => metrics);
      for (const metrics of frozen) expect(metrics).to.deep.equal(before);
      expect(validations[3].metrics).to.not.deep.equal(before);
    });

    it("a checkpoint callback comes after the tracker file; its error ends the run", async () => {
      await folder.write(
        "callback.mjs",
        `import { readFileSync } from "node:fs";
         export class Upload {
           constructor({ config }) { this.project = config.trainer.project_name; }
           onSave({ globalStep, checkpointDir, asyncSave }) {
             const tracked = readFileSync(checkpointDir + "/../latest_checkpointed_iteration.txt", "utf8");
             throw new Error([this.project, globalStep, tracked, asyncSave].join(" "));
           }
         }`,
      );
      const { error, tracker } = await folder.fail({
        overrides: ["trainer.save_freq=2", "trainer.checkpoint_callback_class='callback.mjs#Upload'"],
      });
      expect(error.message).to.include("verl 2 2 false");
      expect(tracker.steps.map(({ step }) => step)).to.deep.equal([1]);
      expect(existsSync(folder.at("run", "global_step_2"))).to.equal(true);
    });

    it("a checkpoint callback without onSave is refused before the run starts", async () => {
      await folder.write("callback.mjs", "export const checkpointCallback = { onsave() {} };");
      const { error, tracker } = await folder.fail({
        overrides: ["trainer.checkpoint_callback_class=callback.mjs"],
      });
      expect(error.code).to.match(/^VERL_/);
      expect(error.message).to.include("callback.mjs").and.include("onSave");
      expect(tracker).to.equal(undefined);
    });
  });

  describe("the folder of a run", () => {
    it("takes one run at a time", async () => {
      let second: { error: { code: string; message: string } } | undefined;
      await folder.train({
        register: (host) =>
          host.hooks.register({
            name: "rival",
            onStepBegin: async ({ globalStep }) => {
              if (globalStep === 2) second = await folder.fail();
            },
          }),
      });
      expect(second?.error.code).to.equal("VERL_TRAINER_FOLDER_IN_USE");
      expect(second?.error.message).to.include(String(process.pid));
    });

    it("is free again after a run, ended well or not", async () => {
      await folder.fail({
        register: (host) => host.hooks.register({ name: "x", onStepBegin: () => Promise.reject(new Error("x")) }),
      });
      await folder.train();
      expect((await readdir(folder.at("run"))).sort()).to.deep.equal(RUN_FILES);
    });
  });

  it("shows trajectories to the trackers and dumps all of them where asked", async () => {
    const { tracker } = await folder.train({
      overrides: [
        "data.val_files=[val.jsonl]",
        "trainer.total_training_steps=1",
        "trainer.test_freq=1",
        "trainer.rollout_data_dir=rollouts",
        "trainer.validation_data_dir=validations",
      ],
    });
    const shown = (split: string) => tracker.trajectories.filter((record) => record.split === split);
    expect(shown("train")).to.have.length(6);
    expect(shown("val")).to.have.length(4);
    expect(shown("train")[0]).to.include({ step: 1, dataSource: "toy", groundTruth: "a" });

    const lines = async (...file: string[]) =>
      (await folder.read(...file))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const train = await lines("rollouts", "1.jsonl");
    expect(train).to.have.length(16);
    expect(train[0]).to.have.all.keys("input", "output", "gts", "score", "step", "uid", "trajectory");
    expect(train.map(({ uid }) => uid)).to.deep.equal([...train.map(({ uid }) => uid as string)].sort());
    expect((await readdir(folder.at("validations"))).sort()).to.deep.equal(["0.jsonl", "1.jsonl"]);
    expect((await lines("validations", "1.jsonl"))[0]).to.include.keys("acc", "pred", "score");
  });

  it("finishes the trackers once when the first of them fails", async () => {
    const { error, tracker } = await folder.fail({
      overrides: ["trainer.logger=[memory, leaky]"],
      register: (host) =>
        host.trackers.register({
          name: "leaky",
          create: () => ({
            name: "leaky",
            start() {},
            finish() {},
            log(_, step) {
              if (step === 2) throw new Error("disk full");
            },
          }),
        }),
    });
    expect(error.code).to.equal("VERL_TRACKING_FAILED");
    expect(tracker.outcomes).to.have.length(1);
    expect(tracker.outcomes[0].exitCode).to.equal(1);
  });

  it("finishes the trackers with the error of a hook that fails before training", async () => {
    const { error, tracker } = await folder.fail({
      register: (host) => host.hooks.register({ name: "x", onInitEnd: () => Promise.reject(new Error("early")) }),
    });
    expect(tracker.outcomes).to.deep.equal([{ exitCode: 1, error }]);
  });
});
