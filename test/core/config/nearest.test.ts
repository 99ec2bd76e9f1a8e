import { expect } from "chai";
import { codedError, compose } from "./support.js";

describe("core/config/nearest", () => {
  const SUGGESTIONS: readonly [given: string, meant: string | null][] = [
    // A bare name, misspelt or not, wherever it stands; the actor's before the critic's.
    ["quantisation", "actor_rollout_ref.rollout.quantization"],
    ["lr", "actor_rollout_ref.actor.optim.lr or critic.optim.lr"],
    ["seed", "trainer.seed, data.seed or actor_rollout_ref.rollout.seed"],
    // The end of a path, with a misspelt name or section.
    ["model.path", "actor_rollout_ref.model.path or critic.model.path"],
    ["rollout.quantisation", "actor_rollout_ref.rollout.quantization"],
    ["rollout.temp", "actor_rollout_ref.rollout.temperature"],
    // Words of the right section, words of a description, longer words than the key's.
    ["data.batch", "data.train_batch_size, data.gen_batch_size or data.val_batch_size"],
    ["learning_rate", "actor_rollout_ref.actor.optim.lr or critic.optim.lr"],
    ["save_frequency", "trainer.save_freq"],
    ["qwertz", null],
  ];
  for (const [given, meant] of SUGGESTIONS) {
    it(`suggests ${meant ?? "nothing"} for ${given}`, async () => {
      const { message } = await codedError(() => compose([`${given}=1`]));
      if (meant === null) expect(message).not.to.contain("Did you mean");
      else expect(message).to.contain(`Did you mean ${meant}?`);
    });
  }
});
