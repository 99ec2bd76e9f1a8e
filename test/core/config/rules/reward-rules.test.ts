import { expect } from "chai";
import { inspect, problems } from "../support.js";

const MODEL = "reward.reward_model";
const ENABLE = `${MODEL}.enable=true`;
const FUNCTION = "reward.custom_reward_function.path=reward.ts";

describe("core/config/rules/reward-rules", () => {
  it("accepts a model on the engine, on servers, a judge for a function, and a mixture", async () => {
    const path = `${MODEL}.model_path=rm`;
    const servers = `${MODEL}.addresses=[host:8000]`;
    for (const overrides of [
      [ENABLE, path],
      [ENABLE, path, servers, `${MODEL}.rollout.name=vllm`],
      [ENABLE, path, servers, FUNCTION],
      [
        ENABLE,
        path,
        FUNCTION,
        "reward.reward_manager.name=hybrid",
        "reward.hybrid=[{data_source: a*, rule: 1}, {data_source: '*', function: 0.5, model: 0.5}]",
      ],
    ]) {
      expect(await problems(overrides), overrides.join(" ")).to.deep.equal([]);
    }
  });

  const CONFLICTS: readonly (readonly [string, readonly string[], string])[] = [
    ["no model is named", [ENABLE], `${MODEL}.model_path`],
    ["a function has no servers to ask", [ENABLE, `${MODEL}.model_path=rm`, FUNCTION], `${MODEL}.addresses`],
    ["an engine is given servers", [ENABLE, `${MODEL}.model_path=rm`, `${MODEL}.addresses=[a]`], `${MODEL}.addresses`],
    ["hybrid has no rules", ["reward.reward_manager.name=hybrid"], "reward.hybrid"],
    [
      "a manager's module is not named",
      ["reward.reward_manager.source=importlib"],
      "reward.reward_manager.module.path",
    ],
  ];
  for (const [name, overrides, key] of CONFLICTS) {
    it(`refuses that ${name}`, async () => {
      expect(await problems([...overrides])).to.deep.equal([`VERL_CONFIG_CONFLICT ${key}`]);
    });
  }

  it("refuses wrong values by their key, and a key in place of its variable's name", async () => {
    for (const [override, key] of [
      ["reward.max_rpm=0", "reward.max_rpm"],
      ["reward.batch.max_size=0", "reward.batch.max_size"],
      [`${MODEL}.max_tries=0`, `${MODEL}.max_tries`],
      ["reward.hybrid=[{data_source: a, rules: 1}]", "reward.hybrid"],
      [`${MODEL}.api_key_env=sk-secret-1`, `${MODEL}.api_key_env`],
    ]) {
      const found = await problems([override]);
      expect(found, override).to.have.length(1);
      expect(found[0]).to.contain(key);
    }
  });

  it("names the wrong key of an entry in a list of sections, and the nearest", async () => {
    const entries = async (text: string) => (await inspect([`reward.hybrid=[${text}]`])).problems[0].what;
    const unknown = await entries("{data_source: a}, {data_source: b, functoin: 1}");
    expect(unknown).to.contain("reward.hybrid[1] has a key functoin").and.contain('Did you mean "function"?');
    expect(await entries("{data_source: a, rule: x}")).to.contain("reward.hybrid[0].rule: expected number");
  });

  it("says which keys have no effect: those of other managers, and of a model that is off", async () => {
    const { notices } = await inspect(["reward.batch.max_size=4", `${MODEL}.model_path=rm`]);
    expect(notices.map(({ message }) => message)).to.deep.equal([
      "reward.batch.max_size has no effect: the reward manager is naive, not batch.",
      `${MODEL}.model_path has no effect: ${MODEL}.enable is false.`,
    ]);
  });

  it("says which of a manager's name and module has no effect", async () => {
    const told = async (...overrides: string[]) => (await inspect(overrides)).notices.map(({ message }) => message);
    const module = "reward.reward_manager.module.path=manager.ts";
    expect(await told(module)).to.deep.equal([
      "reward.reward_manager.module.path has no effect: reward.reward_manager.source is register, not importlib.",
    ]);
    expect(
      await told(module, "reward.reward_manager.source=importlib", "reward.reward_manager.name=dapo"),
    ).to.deep.equal(["reward.reward_manager.name has no effect: reward.reward_manager.source is importlib."]);
  });

  it("moves the keys of older versions of verl", async () => {
    const { config, problems: found } = await inspect([
      "reward_model.enable=true",
      "reward_model.model.path=rm",
      "reward_model.reward_manager=dapo",
      "reward_model.num_workers=4",
      "reward_model.micro_batch_size_per_gpu=8",
    ]);
    expect(found).to.deep.equal([]);
    expect(config.reward.reward_model).to.include({ enable: true, model_path: "rm" });
    expect(config.reward).to.include({ num_workers: 4 });
    expect(config.reward.reward_manager.name).to.equal("dapo");
  });
});
