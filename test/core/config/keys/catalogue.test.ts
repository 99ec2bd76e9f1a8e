import { expect } from "chai";
import { configKeys, explainKey, knownKeys, removedKeys, renamedKeys } from "../../../../core/config/index.js";
import { codedError, compose } from "../support.js";

describe("core/config/keys/catalogue", () => {
  it("describes every key in one line", () => {
    for (const { key, description, typeText } of configKeys) {
      expect(description, key).to.match(/^\S.*\.$/);
      expect(description, key).not.to.contain("\n");
      expect(typeText, key).not.to.equal("value");
    }
  });

  it("names types in words", () => {
    const typeOf = (key: string) => configKeys.find((entry) => entry.key === key)?.typeText;
    expect(typeOf("trainer.total_epochs")).to.equal("whole number >= 1");
    expect(typeOf("actor_rollout_ref.rollout.top_p")).to.equal("number > 0 and <= 1");
    expect(typeOf("trainer.resume_mode")).to.equal("one of auto, disable, resume_path");
    expect(typeOf("data.train_files")).to.equal("text or list of texts");
    expect(typeOf("actor_rollout_ref.model.config")).to.equal("section or null");
  });

  it("has every key in one table only", () => {
    const own = configKeys.map(({ key }) => key);
    const known = [...knownKeys, ...removedKeys].filter(({ section }) => !section).map(({ key }) => key);
    const all = [...own, ...known, ...renamedKeys.map(({ from }) => from)];
    expect(all.filter((key, i) => all.indexOf(key) !== i)).to.deep.equal([]);
  });

  it("explains keys, sections, keys of verl and renamed keys", async () => {
    const composed = await compose(["data.seed=3"]);
    expect(explainKey("data.seed", composed)).to.include({ status: "key", value: 3, source: 'override "data.seed=3"' });
    expect(explainKey("algorithm.kl_ctrl", composed).keys).to.include("algorithm.kl_ctrl.kl_coef");
    expect(explainKey("trainer.use_v1", composed).status).to.equal("known");
    expect(explainKey("reward_model.enable", composed).movedTo).to.equal("reward.reward_model.enable");
    expect((await codedError(() => explainKey("data.sede", composed))).message).to.contain("Did you mean data.seed?");
  });
});
