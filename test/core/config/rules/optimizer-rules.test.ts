import { expect } from "chai";
import { optimizerOf } from "../../../../core/trainer/setup/engine-options.js";
import { compose, inspect, problems } from "../support.js";

const OPTIM = "actor_rollout_ref.actor.optim";

describe("core/config optimizers", () => {
  const optimizer = async (...overrides: string[]) => {
    const { config } = await inspect(overrides.map((override) => `${OPTIM}.${override}`));
    return optimizerOf(config!.actor_rollout_ref.actor.optim, 10);
  };

  it("are chosen by our names or PyTorch's", async () => {
    for (const [written, name] of [
      ["adamw", "adamw"],
      ["AdamW", "adamw"],
      ["SGD", "sgd"],
      ["Muon", "muon"],
    ]) {
      expect((await optimizer(`optimizer=${written}`)).name).to.equal(name);
    }
    expect(await problems([`${OPTIM}.optimizer=lion`])).to.deep.equal([`VERL_CONFIG_TYPE ${OPTIM}.optimizer`]);
  });

  it("get their settings, and their own defaults where these are null", async () => {
    expect(await optimizer("optimizer=sgd")).to.not.have.any.keys("momentum", "nesterov");
    const set = await optimizer(
      "optimizer=muon",
      "momentum=0.9",
      "nesterov=false",
      "muon.scale=original",
      "no_decay=[norm, bias]",
      "lr_scale.embedding=0.1",
      "ema_decay=0.99",
    );
    expect(set).to.deep.include({ name: "muon", momentum: 0.9, nesterov: false, noDecay: ["norm", "bias"] });
    expect(set).to.deep.include({ muon: { scale: "original", iterations: 5 }, emaDecay: 0.99 });
    expect(set.lrScale).to.deep.equal({ embedding: 0.1, head: 1, norm: 1, bias: 1, matrix: 1 });
  });

  it("are refused with settings that contradict each other", async () => {
    const nesterov = [`${OPTIM}.optimizer=sgd`, `${OPTIM}.nesterov=true`];
    expect(await problems(nesterov)).to.deep.equal([`VERL_CONFIG_CONFLICT ${OPTIM}.nesterov`]);
    expect(await problems([...nesterov, `${OPTIM}.momentum=0.9`])).to.deep.equal([]);
  });

  it("are told what has no effect with them", async () => {
    const { notices } = await inspect([`${OPTIM}.momentum=0.9`, `${OPTIM}.muon.iterations=3`]);
    expect(notices.map(({ key }) => key)).to.include.members([`${OPTIM}.momentum`, `${OPTIM}.muon.iterations`]);
  });

  it("are not taken from Python modules", async () => {
    expect(await problems([`${OPTIM}.optimizer_impl=torch.optim`])).to.deep.equal([]);
    expect(await problems([`${OPTIM}.optimizer_impl=torchao.optim`])).to.deep.equal([
      `VERL_CONFIG_UNSUPPORTED ${OPTIM}.optimizer_impl`,
    ]);
    await compose([`${OPTIM}.override_optimizer_config=null`]);
  });
});
