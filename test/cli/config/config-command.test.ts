import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cli } from "../support.js";

describe("cli/config", () => {
  let cwd: string;
  before(() => {
    cwd = fs.mkdtempSync(path.join(os.tmpdir(), "verl-cli-"));
    fs.writeFileSync(path.join(cwd, "run.yaml"), "trainer:\n  seed: 7\nreward:\n  reward_kwargs: {api_key: s3cr3t}\n");
  });
  after(() => fs.rmSync(cwd, { recursive: true }));

  it("prints the composed configuration as YAML or JSON, with secrets masked", async () => {
    const yaml = await cli(["config", "print", "run.yaml", "trainer.seed=8", "--sources"], { cwd });
    expect(yaml.stdout).to.contain('  seed: 8 # override "trainer.seed=8"');
    const { stdout, json } = await cli(["config", "print", "run.yaml", "--json"], { cwd });
    expect(json()).to.have.nested.property("trainer.seed", 7);
    expect((await cli(["config", "print", "run.yaml", "--resolved", "--json"], { cwd })).stdout).to.equal(stdout);
    expect(stdout + yaml.stdout).not.to.contain("s3cr3t");
  });

  it("explains a key with type, default, value and source", async () => {
    const { stdout } = await cli(["config", "explain", "trainer.seed", "run.yaml"], { cwd });
    expect(stdout).to.contain("whole number >= 0").and.to.contain("run.yaml:2:9");
    const env = { VERL_PLATFORM: "cpu" };
    const device = await cli(["config", "explain", "trainer.device", "--json"], { cwd, env });
    expect(device.json()).to.include({ value: "cpu", source: "environment VERL_PLATFORM" });
    expect((await cli(["config", "explain"], { cwd })).stdout).to.contain("actor_rollout_ref.rollout.n ");
    expect((await cli(["config", "explain", "trainer.sed"], { cwd })).stderr).to.contain("Did you mean trainer.seed?");
  });

  it("suggests the key that a part of a path means, and finds keys by words", async () => {
    const part = await cli(["config", "explain", "rollout.temp"], { cwd });
    expect(part.stderr).to.contain("Did you mean actor_rollout_ref.rollout.temperature?");
    const { stdout } = await cli(["config", "explain", "--search", "seed"], { cwd });
    expect(stdout)
      .to.match(/^trainer\.seed +Seed of/)
      .and.to.contain("\nactor_rollout_ref.rollout.seed ");
    const both = await cli(["config", "explain", "--search", "seed", "order", "--json"], { cwd });
    expect(both.json<{ key: string }[]>().map(({ key }) => key)).to.deep.equal(["trainer.seed", "data.seed"]);
    expect((await cli(["config", "explain", "--search", "qwertz"], { cwd })).stderr).to.contain("No key holds qwertz");
    const renamed = await cli(["config", "explain", "--search", "reward_model.num_workers", "--json"], { cwd });
    expect(renamed.json<{ key: string }[]>()[0].key).to.equal("reward.num_workers");
  });

  it("tells of a renamed and of a removed key when, until when, and what instead, also to programs", async () => {
    const { stdout } = await cli(["config", "explain", "reward_model.num_workers"], { cwd });
    expect(stdout).to.match(/renamed +by verl, 2026-02, verl#5255\n/);
    expect(stdout).to.match(/until +verl-ts 1\.0\.0 \(not before 2027-06-01\)/);
    expect(stdout).to.match(/instead +reward\.num_workers;/);
    const overrides = ["reward_model.num_workers=2", "actor_rollout_ref.rollout.chat_scheduler=x"];
    const { json, code } = await cli(["config", "check", ...overrides, "--json"], { cwd });
    expect(code).to.equal(2);
    const { notices, problems } = json<Record<"notices" | "problems", { deprecation?: { kind: string } }[]>>();
    expect(notices.flatMap(({ deprecation }) => deprecation?.kind ?? [])).to.deep.equal(["renamed"]);
    expect(problems.flatMap(({ deprecation }) => deprecation?.kind ?? [])).to.deep.equal(["removed"]);
    const checked = await cli(["config", "print", "reward_model.num_workers=2"], { cwd });
    expect(checked.stderr).to.match(/^deprecated reward_model\.num_workers is now reward\.num_workers /);
  });

  it("reports misspelt overrides all at once", async () => {
    const { stderr } = await cli(["config", "print", "trainer.sed=1", "trainer.seed=3", "data.sede=2"], { cwd });
    expect(stderr).to.contain("trainer.seed?").and.to.contain("data.seed?").and.to.contain("VERL_CONFIG_INVALID");
  });

  it("checks everything at once and starts nothing", async () => {
    const overrides = ["data.train_batch_size=10", "actor_rollout_ref.actor.ppo_mini_batch_size=4", "trainer.nnodes=2"];
    const { code, json } = await cli(["config", "check", "run.yaml", ...overrides, "--json"], { cwd });
    expect(code).to.equal(2);
    const { ok, problems } = json<{ ok: boolean; problems: { key: string }[] }>();
    expect(ok).to.equal(false);
    expect(problems.map(({ key }) => key)).to.include.members([
      "actor_rollout_ref.actor.ppo_mini_batch_size",
      "trainer.nnodes",
      "data.train_files",
    ]);
    expect(fs.readdirSync(cwd)).to.deep.equal(["run.yaml"]);
  });

  for (const [override, key] of [
    ["rollout_is_threshold=abc", "rollout_is_threshold"],
    ["rollout_is_threshold='5_1'", "rollout_is_threshold"],
    ["rollout_rs=bogus", "rollout_rs"],
    ["rollout_rs_threshold=abc", "rollout_rs_threshold"],
  ]) {
    it(`refuses algorithm.rollout_correction.${override} at its place`, async () => {
      const at = `algorithm.rollout_correction.${override}`;
      const { code, json } = await cli(["config", "check", at, "--json"], { cwd });
      expect(code).to.equal(2);
      const { problems } = json<{ problems: { key: string; code: string; where: string }[] }>();
      const found = problems.find((problem) => problem.key === `algorithm.rollout_correction.${key}`);
      expect(found).to.include({ code: "VERL_CONFIG_TYPE" });
      expect(found?.where).to.include(`override "${at}"`);
    });
  }

  it("takes the thresholds of rollout correction that a run takes", async () => {
    const overrides = [
      "rollout_is_threshold='0.5_5.0'",
      "rollout_rs='token_k1,seq_mean_k3'",
      "rollout_rs_threshold='0.5_2.0,0.1'",
    ];
    const at = overrides.map((override) => `algorithm.rollout_correction.${override}`);
    const { json } = await cli(["config", "check", ...at, "--json"], { cwd });
    const { problems } = json<{ problems: { key: string }[] }>();
    expect(problems.filter(({ key }) => key.startsWith("algorithm."))).to.deep.equal([]);
  });

  it("finds an unknown platform and files that are not there", async () => {
    const overrides = ["trainer.device=cppu", "trainer.hooks=[none.mjs]"];
    const { json } = await cli(["config", "check", ...overrides, "--json"], { cwd });
    const { problems } = json<{ problems: { key: string; what: string }[] }>();
    expect(problems.map(({ key }) => key)).to.include.members(["trainer.device", "trainer.hooks"]);
    expect(problems.find(({ key }) => key === "trainer.device")?.what).to.contain('Did you mean "cpu"?');
  });

  it("says which file cannot be read, and where YAML is wrong", async () => {
    expect((await cli(["config", "print", "none.yaml"], { cwd })).stderr).to.contain("VERL_CONFIG_FILE");
    fs.writeFileSync(path.join(cwd, "bad.yaml"), "a: [1\n");
    const { code, stderr } = await cli(["config", "print", "bad.yaml"], { cwd });
    fs.rmSync(path.join(cwd, "bad.yaml"));
    expect(code).to.equal(2);
    expect(stderr).to.match(/where: .*bad\.yaml:\d+:\d+/);
  });
});
