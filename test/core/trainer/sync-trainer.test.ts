import { expect } from "chai";
import { ToyFolder } from "./support/toy-run.js";

describe("core/trainer/sync-trainer", () => {
  it("raises the reward of a trivial task", async () => {
    await using folder = await ToyFolder.create({
      prompts: ["b", "b", "b", "b"],
      reward: "export const compute_score = ({ solution }) => Number(solution === 'a');",
    });
    const { tracker } = await folder.train({
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
});
