import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
  composeConfig,
  explainKey,
  makeConfig,
  parseYaml,
  printConfig,
  toPlain,
  validateConfig,
} from "../../../../core/config/index.js";
import { codedError, compose, inspect, problems } from "../support.js";

describe("core/config/compose/compose", () => {
  let folder: string;
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-config-"));
  });
  after(() => fs.rmSync(folder, { recursive: true }));

  const file = (name: string, text: string) => {
    fs.writeFileSync(path.join(folder, name), text);
    return name;
  };
  const read = (files: string[], overrides: string[] = [], env = {}) =>
    composeConfig({ files, overrides, env, cwd: folder });

  it("makes a sound configuration of defaults alone", async () => {
    const { config, notices } = await validateConfig(await compose([]));
    expect(config.actor_rollout_ref.actor.ppo_mini_batch_size).to.equal(config.data.train_batch_size);
    expect(config.trainer.default_local_dir).to.equal("checkpoints/verl/default");
    expect(config).to.deep.equal(makeConfig());
    expect(notices).to.deep.equal([]);
  });

  it("lets files beat defaults, the environment files, and overrides the environment; and knows the source", async () => {
    file("a.yaml", "trainer:\n  device: nvidia\n  seed: 2\n");
    const env = { VERL_PLATFORM: " cpu " };
    const fromFile = explainKey("trainer.device", await read(["a.yaml"]));
    expect(fromFile).to.include({ value: "nvidia", source: `${path.join(folder, "a.yaml")}:2:11` });
    expect(explainKey("trainer.device", await read(["a.yaml"], [], env))).to.include({
      value: "cpu",
      source: "environment VERL_PLATFORM",
    });
    expect(explainKey("trainer.device", await read(["a.yaml"], ["trainer.device=amd"], env))).to.include({
      value: "amd",
      source: 'override "trainer.device=amd"',
    });
    expect(explainKey("trainer.nnodes", await read(["a.yaml"]))).to.include({ value: 1, source: "default" });
  });

  it("switches engine and rollout by environment", async () => {
    const { tree } = await compose([], { VERL_ENGINE: "chip", VERL_ROLLOUT: "server", VERL_PLATFORM: "" });
    expect(toPlain(tree)).to.have.nested.property("actor_rollout_ref.actor.strategy", "chip");
    expect(toPlain(tree)).to.have.nested.property("actor_rollout_ref.rollout.name", "server");
    expect(toPlain(tree)).to.have.nested.property("trainer.device", "auto");
  });

  it("composes files by their `defaults` lists, where _self_ gives the place", async () => {
    file("base.yaml", "trainer: {seed: 5, total_epochs: 5}\n");
    file("last.yaml", "defaults: [base]\ntrainer: {seed: 6}\n");
    file(
      "first.yaml",
      "defaults:\n  - ppo_trainer\n  - _self_\n  - base.yaml\ntrainer: {seed: 6}\nhydra: {searchpath: []}\n",
    );
    expect(toPlain((await read(["last.yaml"])).tree)).to.deep.nested.include({
      "trainer.seed": 6,
      "trainer.total_epochs": 5,
    });
    expect(toPlain((await read(["first.yaml"])).tree)).to.deep.nested.include({ "trainer.seed": 5 });
    file("x.yaml", "defaults: [y]\n");
    file("y.yaml", "defaults: [x]\n");
    expect((await codedError(() => read(["x.yaml"]))).message).to.contain("circle");
    expect((await codedError(() => read(["none.yaml"]))).code).to.equal("VERL_CONFIG_FILE");
  });

  it("takes an empty section for no change, and ~ for the default", async () => {
    file("empty.yaml", "trainer:\ndata:\n  seed: 9\nreward:\n  reward_kwargs:\n");
    const { tree } = await read(["empty.yaml"], ["~data.seed"]);
    expect(toPlain(tree)).to.deep.nested.include({ "trainer.seed": 1, "data.seed": 1, "reward.reward_kwargs": {} });
  });

  it("names what plugins to load before anything else is checked", async () => {
    const { plugins } = await compose([
      "plugins=[a, ./b.js]",
      "actor_rollout_ref.model.external_lib=c",
      "trainer.seed=many",
    ]);
    expect(plugins).to.deep.equal(["a", "./b.js", "c"]);
  });

  it("accepts keys of verl without effect and says so once", async () => {
    const found = await inspect([
      "actor_rollout_ref.rollout.gpu_memory_utilization=0.4",
      "actor_rollout_ref.actor.fsdp_config.param_offload=True",
      "+actor_rollout_ref.actor.fsdp_config.model_dtype=bf16",
      "actor_rollout_ref.rollout.mode=async",
    ]);
    expect(found.problems).to.deep.equal([]);
    expect(found.notices.map(({ key }) => key)).to.deep.equal([
      "actor_rollout_ref.actor.fsdp_config",
      "actor_rollout_ref.rollout.gpu_memory_utilization",
    ]);
  });

  it("refuses values of verl's keys that would change the result", async () => {
    const overrides = [
      "actor_rollout_ref.rollout.mode=sync",
      "actor_rollout_ref.model.lora.rank=8",
      "distillation.enabled=true",
    ];
    expect(await problems(overrides)).to.deep.equal([
      "VERL_CONFIG_UNSUPPORTED actor_rollout_ref.model.lora.rank",
      "VERL_CONFIG_UNSUPPORTED actor_rollout_ref.rollout.mode",
      "VERL_CONFIG_UNSUPPORTED distillation.enabled",
    ]);
  });

  it("moves renamed keys from files and overrides, with a notice old -> new", async () => {
    file("old.yaml", "custom_reward_function: {path: r.ts, name: score}\nreward_model: {reward_manager: dapo}\n");
    const composed = await read(["old.yaml"], ["custom_reward_function.name=other"]);
    expect(toPlain(composed.tree)).to.deep.nested.include({
      "reward.custom_reward_function.path": "r.ts",
      "reward.custom_reward_function.name": "other",
      "reward.reward_manager.name": "dapo",
    });
    expect(composed.notices.map(({ deprecation }) => [deprecation?.key, deprecation?.instead])).to.deep.equal([
      ["custom_reward_function", "reward.custom_reward_function"],
      ["reward_model.reward_manager", "reward.reward_manager.name"],
      ["custom_reward_function", "reward.custom_reward_function"],
    ]);
  });

  it("T27: names the nearest key of an unknown one, in files and overrides", async () => {
    const typo = await codedError(() => compose(["actor_rollout_ref.rollout.gpu_memory_utilisation=0.5"]));
    expect(typo.message).to.contain("Did you mean actor_rollout_ref.rollout.gpu_memory_utilization?");
    const section = await codedError(() => compose(["actor_rolout_ref.rollout.n=2"]));
    expect(section.message).to.contain("Did you mean actor_rollout_ref.rollout.n?");
    const place = await codedError(() => compose(["trainer.train_batch_size=2"]));
    expect(place.message).to.contain("Did you mean data.train_batch_size?");
    const both = await codedError(() => compose(["traner.foo=1"]));
    expect(both.message).to.contain("Did you mean trainer?");
    file("typo.yaml", "data:\n  train_bach_size: 4\n");
    const found = await codedError(async () => validateConfig(await read(["typo.yaml"])));
    expect(found.code).to.equal("VERL_CONFIG_UNKNOWN_KEY");
    expect(found.message).to.contain("data.train_batch_size");
    expect(found.where).to.match(/typo\.yaml:2:20$/);
  });

  it("names the key whose beginning a misspelt one is, before others that are as far from it", async () => {
    for (const [given, meant] of [
      ["data.train_bach", "data.train_batch_size"],
      ["data.filter_overlog", "data.filter_overlong_prompts"],
      ["trainer.max_actor_ckp", "trainer.max_actor_ckpt_to_keep"],
    ]) {
      const { message } = await codedError(() => compose([`${given}=8`]));
      expect(message).to.contain(`Did you mean ${meant}?`);
    }
  });

  it("T27: accepts new keys only under open sections", async () => {
    expect(await problems(["+trainer.foo=1"])).to.deep.equal(["VERL_CONFIG_UNKNOWN_KEY trainer.foo"]);
    const open = ["+reward.reward_kwargs.max_resp_len=9", "actor_rollout_ref.rollout.engine_kwargs.onnx={a: 1}"];
    expect(await problems([...open, "+actor_rollout_ref.rollout.engine_kwargs.x.y=1"])).to.deep.equal([]);
  });

  it("prints a configuration that reads back as the same one", async () => {
    const { tree } = await compose(["trainer.project_name='yes: 1e-6'", "+reward.reward_kwargs.a=[1, {b: null}]"]);
    for (const sources of [false, true]) {
      expect(toPlain(parseYaml(printConfig(tree, { sources }), "x"))).to.deep.equal(toPlain(tree));
    }
    expect(printConfig(tree, { sources: true })).to.contain("# override \"trainer.project_name='yes: 1e-6'\"");
  });

  it("expands the home folder in keys that hold paths, and nowhere else", async () => {
    const overrides = [
      "data.train_files=['~/a.jsonl', b.jsonl, '~c/d']",
      "actor_rollout_ref.model.path='~'",
      "reward.custom_reward_function.path='~/reward.ts'",
      "trainer.project_name='~/p'",
      "plugins=['~/plugin.js', 'verl-x']",
    ];
    const composed = await compose(overrides, { HOME: "/home/me" });
    const { data, actor_rollout_ref, reward, trainer } = toPlain(composed.tree) as {
      data: { train_files: unknown };
      actor_rollout_ref: { model: { path: unknown } };
      reward: { custom_reward_function: { path: unknown } };
      trainer: { project_name: unknown };
    };
    expect(data.train_files).to.deep.equal([path.join("/home/me", "a.jsonl"), "b.jsonl", "~c/d"]);
    expect(actor_rollout_ref.model.path).to.equal(path.join("/home/me", ""));
    expect(reward.custom_reward_function.path).to.equal(path.join("/home/me", "reward.ts"));
    expect(trainer.project_name).to.equal("~/p");
    expect(composed.plugins).to.deep.equal([path.join("/home/me", "plugin.js"), "verl-x"]);
  });
});
