import { expect } from "chai";
import { checkNames, configKeys, offeredNames } from "../../../../core/config/index.js";
import { compose } from "../support.js";

const NAMES = {
  tracers: ["otel", "prometheus"],
  policyLosses: ["vanilla", "bypass_mode"],
  engines: ["onnx", "onnx", "acme"],
};

describe("core/config/keys/check-names", () => {
  const problems = async (...overrides: string[]) => checkNames(await compose(overrides), NAMES);
  const BACKEND = "actor_rollout_ref.rollout.trace.backend";

  it("offers each name once, and none that is chosen elsewhere", async () => {
    const [engine] = await problems("actor_rollout_ref.actor.strategy=zzz");
    expect(engine.why).to.equal("Registered: acme, onnx.");
    const [tracer] = await problems(`${BACKEND}=zzz`);
    expect(tracer.why).to.equal("Registered: otel.");
    const [loss] = await problems("actor_rollout_ref.actor.policy_loss.loss_mode=zzz");
    expect(loss.why).to.equal("Registered: vanilla.");
    const [near] = await problems(`${BACKEND}=promethius`);
    expect(near.what).not.to.include("Did you mean");
  });

  it("knows a list that was written as one text", async () => {
    const composed = await compose(["trainer.logger='console, jsonl'"]);
    const [problem] = checkNames(composed, { trackers: ["console", "jsonl"] });
    expect(problem.fix).to.equal("Write a list: [console, jsonl].");
  });

  it("refuses a name of the registry that has another key, and says which", async () => {
    const [problem] = await problems(`${BACKEND}=prometheus`);
    expect(problem.fix).to.include("actor_rollout_ref.rollout.prometheus.enable");
    expect(await problems(`${BACKEND}=otel`)).to.deep.equal([]);
    expect(await problems("actor_rollout_ref.actor.policy_loss.loss_mode=bypass_mode")).to.deep.equal([]);
  });

  it("knows of every default that it may stand", () => {
    for (const { key, default: value, unoffered } of configKeys) {
      if (unoffered === undefined) continue;
      expect(offeredNames({ unoffered }, Object.keys(unoffered)), key).to.deep.equal([]);
      expect(Object.keys(unoffered), key).not.to.include(value);
    }
  });
});
