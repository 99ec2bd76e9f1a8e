import { rm } from "node:fs/promises";
import { expect } from "chai";
import { reproducible } from "../support/compare.js";
import { ToyFolder } from "../support/toy-run.js";
import { ONNX_OVERRIDES } from "../support/toy-task.js";

const GAE = ["algorithm.adv_estimator=gae", "critic.optim.lr=0.1"];
const steps = (n: number) => `trainer.total_training_steps=${n}`;

describe("core/trainer critic", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  it("is trained beside the actor with gae, and learns what the responses are worth", async () => {
    const { tracker } = await folder.train({ overrides: [...GAE, "critic.ppo_epochs=4", steps(8)] });
    for (const { metrics } of tracker.steps) {
      expect(metrics).to.include.keys(
        "critic/values/mean",
        "critic/vf_explained_var",
        "critic/vf_clipfrac",
        "critic/grad_norm",
        "critic/lr",
        "timing_s/values",
        "timing_s/update_critic",
        "actor/pg_loss",
      );
    }
    const losses = tracker.series("critic/vf_loss");
    expect(losses[7]).to.be.below(losses[0] / 2);
    expect(tracker.series("critic/lr")).to.deep.equal(new Array(8).fill(0.1));
    expect(Math.max(...tracker.series("actor/grad_norm"))).to.be.above(0);
  });

  it("is trained alone before critic_warmup", async () => {
    const { tracker } = await folder.train({ overrides: [...GAE, "trainer.critic_warmup=3"] });
    expect(tracker.steps.map(({ metrics }) => "actor/pg_loss" in metrics)).to.deep.equal([false, false, true]);
    for (const norm of tracker.series("critic/grad_norm")) expect(norm).to.be.above(0);
  });

  it("does not depend on micro-batches", async () => {
    const run = async (...more: string[]) => (await folder.train({ overrides: [...GAE, ...more] })).tracker;
    const whole = await run();
    const split = await run("critic.use_dynamic_bsz=false", "critic.ppo_micro_batch_size_per_gpu=2");
    for (const name of ["critic/grad_norm", "actor/grad_norm", "critic/vf_loss"]) {
      const expected = whole.series(name);
      for (const [i, x] of split.series(name).entries()) expect(x, name).to.be.closeTo(expected[i], 1e-5 * expected[i]);
    }
  });

  it("is part of the checkpoint: a resumed run is the one that was never interrupted, to the last bit", async () => {
    await using other = await ToyFolder.create();
    const run = [...GAE, "trainer.save_freq=2", "critic.shuffle=true"];
    const whole = await folder.train({ overrides: [...run, steps(4)] });
    await other.train({ overrides: [...run, steps(2)] });
    const resumed = await other.train({ overrides: [...run, steps(4)] });
    expect(reproducible(resumed.tracker)).to.deep.equal(reproducible(whole.tracker).slice(-2));
    const table = (from: ToyFolder) => from.read("run", "global_step_4", "critic", "table.json");
    expect(await table(other)).to.equal(await table(folder));
  });

  it("must be in the checkpoint that a run with a critic resumes", async () => {
    await folder.train({ overrides: ["trainer.save_freq=2", steps(2)] });
    const { error } = await folder.fail({ overrides: [...GAE, steps(4)] });
    expect(error.code).to.equal("VERL_TRAINER_RESUME_MISMATCH");
    expect(error.message).to.include("no critic");
    await rm(folder.at("run"), { recursive: true });
    expect((await folder.train({ overrides: [...GAE, steps(1)] })).metrics).to.include.keys("critic/vf_loss");
  });

  it("trains on a draw of the trajectories by their scores with use_pf_ppo", async () => {
    const run = [...GAE, "algorithm.use_pf_ppo=true", "algorithm.pf_ppo.reweight_method=max_min"];
    // One response of each prompt is the best, one the worst.
    await folder.write("reward.mjs", "let n = 0; export const compute_score = () => [5, 0, 1, 2][n++ % 4];");
    const { tracker } = await folder.train({ overrides: run });
    for (const distinct of tracker.series("training/pf_ppo/distinct_samples")) expect(distinct).to.be.within(2, 8);
    expect(tracker.series("critic/score/mean"), "statistics are of what was sampled").to.deep.equal([2, 2, 2]);
    for (const norm of tracker.series("actor/grad_norm")) expect(norm).to.be.above(0);
  });

  it("may be trained where the estimator does not ask for it", async () => {
    const { metrics } = await folder.train({ overrides: ["critic.enable=true", steps(1)] });
    expect(metrics).to.include.keys("critic/vf_loss", "critic/values/mean");
  });
});

describe("core/trainer critic with the ONNX engine", function () {
  this.timeout(60_000);

  it("trains a value model beside a small Llama", async () => {
    const reward = "export const compute_score = ({ solution }) => 1 + solution.length / 8;";
    await using folder = await ToyFolder.create({ prompts: ["b", "c"], reward });
    const { tracker } = await folder.train({
      overrides: [
        ...ONNX_OVERRIDES,
        "algorithm.adv_estimator=gae",
        "critic.optim.lr=0.01",
        "critic.ppo_epochs=3",
        "data.train_batch_size=2",
        steps(4),
      ],
    });
    const losses = tracker.series("critic/vf_loss");
    expect(losses[3]).to.be.below(losses[0] / 2);
    for (const norm of tracker.series("actor/grad_norm")) expect(norm).to.be.above(0);
  });
});
