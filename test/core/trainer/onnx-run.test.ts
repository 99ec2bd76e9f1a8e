import { expect } from "chai";
import { ToyFolder } from "./support/toy-run.js";
import { ONNX_OVERRIDES } from "./support/toy-task.js";

describe("core/trainer with the ONNX engine and rollout", function () {
  this.timeout(60_000);

  it("trains a small Llama: rewards rise, sampler and trainer agree, the reference is used", async () => {
    await using folder = await ToyFolder.create({ prompts: ["b", "c", "d", "e"] });
    const { tracker } = await folder.train({
      overrides: [
        ...ONNX_OVERRIDES,
        "data.val_files=[val.jsonl]",
        "trainer.total_training_steps=12",
        "trainer.test_freq=12",
        "actor_rollout_ref.actor.use_kl_loss=true",
        "actor_rollout_ref.actor.optim.lr=0.02",
        "actor_rollout_ref.actor.ppo_mini_batch_size=2",
        "actor_rollout_ref.rollout.n=16",
      ],
    });
    for (const gap of tracker.series("training/sampler_gap/max")) expect(gap).to.be.below(1e-4);
    expect(tracker.series("actor/kl_loss")[11]).to.be.above(0);
    const rewards = tracker.series("critic/rewards/mean");
    const mean = (xs: number[]) => xs.reduce((a, b) => a + b, 0) / xs.length;
    expect(mean(rewards.slice(-3))).to.be.above(mean(rewards.slice(0, 3)) + 0.2);
    expect(tracker.series("val-core/toy/acc/mean@1")[1]).to.be.above(tracker.series("val-core/toy/acc/mean@1")[0]);
  });

  it("trains on samples of rounded weights: the gap is measured and corrected for, and rewards rise", async () => {
    await using folder = await ToyFolder.create({ prompts: ["b", "c", "d", "e"] });
    const { tracker, notices } = await folder.train({
      overrides: [
        ...ONNX_OVERRIDES,
        "actor_rollout_ref.rollout.quantization=int8",
        "algorithm.rollout_correction.rollout_is=token",
        "trainer.total_training_steps=12",
        "actor_rollout_ref.actor.optim.lr=0.02",
        "actor_rollout_ref.actor.ppo_mini_batch_size=2",
        "actor_rollout_ref.rollout.n=16",
      ],
    });
    expect(notices.join()).not.to.include("corrects");
    const gaps = tracker.series("training/sampler_gap/mean");
    expect(Math.min(...gaps)).to.be.above(1e-5);
    expect(Math.max(...gaps)).to.be.below(0.1);
    expect(tracker.series("rollout_corr/rollout_is_mean")).to.have.length(12);
    expect(tracker.series("rollout_corr/k3_kl").every((kl) => kl > 0)).to.equal(true);
    const rewards = tracker.series("critic/rewards/mean");
    const mean = (xs: number[]) => xs.reduce((a, b) => a + b, 0) / xs.length;
    expect(mean(rewards.slice(-3))).to.be.above(mean(rewards.slice(0, 3)) + 0.2);
  });

  it("refuses rounded weights of a server that has none", async () => {
    await using folder = await ToyFolder.create();
    const { error } = await folder.fail({ overrides: ["actor_rollout_ref.rollout.quantization=int8"] });
    expect(error.code).to.equal("VERL_ROLLOUT_NO_QUANTIZATION");
    expect(error.message).to.include("fake");
  });
});
