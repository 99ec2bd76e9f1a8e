import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Problem } from "../../../core/config/index.js";
import type { Diagnosis } from "../../../core/plugin.js";
import { cli } from "../support.js";

interface Answer {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly notices: readonly unknown[];
  readonly unchecked: readonly { readonly what: string; readonly command: string }[];
}

describe("cli/config check", () => {
  let cwd: string;
  before(() => {
    cwd = fs.mkdtempSync(path.join(os.tmpdir(), "verl-check-"));
    fs.writeFileSync(path.join(cwd, "bad.yaml"), "a: [1\n");
    fs.writeFileSync(path.join(cwd, "twice.yaml"), "trainer:\n  seed: 1\n  seed: 2\n");
  });
  after(() => fs.rmSync(cwd, { recursive: true }));

  const check = async (...args: string[]) => {
    const { code, json } = await cli(["config", "check", ...args, "--json"], { cwd });
    return { code, ...json<Answer>() };
  };
  const FAULTS: Readonly<Record<string, string>> = {
    "trainer.sed=1": "VERL_CONFIG_OVERRIDE",
    "data.seed=[1": "VERL_CONFIG_OVERRIDE",
    "data.val_files=${data.train_fils}": "VERL_CONFIG_REFERENCE",
    "data.train_batch_size=many": "VERL_CONFIG_TYPE",
    "trainer.nnodes=2": "VERL_CONFIG_UNSUPPORTED",
    "algorithm.adv_estimator=nope": "VERL_CONFIG_NAME",
    "+data.nowhere=1": "VERL_CONFIG_UNKNOWN_KEY",
  };

  it("says of a section of one's own who added to it", async () => {
    const key = "data.apply_chat_template_kwargs";
    const { stdout } = await cli(["config", "explain", key, `+${key}.a=1`]);
    expect(stdout).to.include(`(override "+${key}.a=1")`).and.not.include("(default)");
  });

  it("says why engines were not asked in one sentence that ends once", async () => {
    const args = ["config", "check", "actor_rollout_ref.model.path=owner/name", "data.train_files=package.json"];
    const { stderr, stdout } = await cli(args, { cwd: process.cwd(), env: { VERL_PLATFORM: "amd" } });
    expect(stderr + stdout)
      .to.include("not asked")
      .and.not.match(/\.\. A start/);
  });

  it("tells misspelt overrides, references, types, rules and names all at once", async () => {
    const { code, ok, problems } = await check(...Object.keys(FAULTS));
    expect([code, ok]).to.deep.equal([2, false]);
    for (const [override, wanted] of Object.entries(FAULTS)) {
      const key = override.replace(/^\+|=.*/g, "");
      const found = problems.find((problem) => problem.key === key);
      expect(found?.code, override).to.equal(wanted);
      expect(found?.where, override).to.include(override);
    }
    expect(problems.find(({ key }) => key === "trainer.sed")?.meant?.[0]).to.equal("trainer.seed");
    expect(problems.map(({ key }) => key)).to.include("actor_rollout_ref.model.path");
  });

  it("tells them to who starts a run as well", async () => {
    const { code, stderr } = await cli(["train", "trainer.sed=1", "trainer.nnodes=2"], { cwd });
    expect(code).to.equal(2);
    expect(stderr).to.include("Did you mean trainer.seed?").and.include("trainer.nnodes = 2");
  });

  it("does not judge the default in place of what a misspelt override meant", async () => {
    const { problems } = await check("data.train_batch_sise=10", "actor_rollout_ref.actor.ppo_mini_batch_size=5");
    expect(problems.filter(({ code }) => code === "VERL_CONFIG_SIZES")).to.deep.equal([]);
    const other = await check("+n=10", "actor_rollout_ref.actor.ppo_mini_batch_size=5");
    expect(other.problems.map(({ code }) => code)).to.include("VERL_CONFIG_SIZES");
  });

  for (const file of ["bad.yaml", "none.yaml", "twice.yaml"]) {
    it(`keeps to its one shape where ${file} cannot be read`, async () => {
      const { code, ok, problems, notices } = await check(file);
      expect([code, ok, notices]).to.deep.equal([2, false, []]);
      expect(problems).to.have.length(1);
      expect(problems[0].where).to.include(file);
    });
  }

  it("keeps to its one shape, and tells the rest, where a plugin cannot be loaded", async () => {
    const { code, problems } = await check("plugins=[./none.mjs]", "data.seed=x");
    expect(code).to.equal(2);
    expect(problems.map(({ code: one }) => one)).to.include.members(["VERL_PLUGIN_NOT_FOUND", "VERL_CONFIG_TYPE"]);
  });

  describe("verl doctor", () => {
    it("has a finding for each problem, and looks at the rest", async () => {
      const { code, json } = await cli(["doctor", "trainer.sed=1", "data.seed=x", "--json"], { cwd });
      expect(code).to.equal(1);
      const { findings } = json<{ findings: Diagnosis[] }>();
      const found = findings.filter(({ name }) => name === "configuration");
      expect(found.map(({ status }) => status)).to.deep.equal(["failed", "failed"]);
      expect(found[0].detail).to.include("Did you mean trainer.seed?");
      expect(findings.map(({ name }) => name)).to.include("platform cpu");
    });

    it("has one for a file that cannot be read", async () => {
      const { json } = await cli(["doctor", "bad.yaml", "--json"], { cwd });
      const { findings } = json<{ findings: Diagnosis[] }>();
      const found = findings.filter(({ name }) => name === "configuration");
      expect(found.map(({ status }) => status)).to.deep.equal(["failed"]);
      expect(found[0].detail).to.include("bad.yaml:");
      expect(findings.map(({ name }) => name)).to.include("platform cpu");
    });
  });

  describe("verl config print and explain", () => {
    it("prints wrong types as they are, tells them and ends with 2", async () => {
      const { code, stdout, stderr } = await cli(["config", "print", "data.train_batch_size=many"], { cwd });
      expect(code).to.equal(2);
      expect(stdout).to.include("train_batch_size: many");
      expect(stderr).to.include("VERL_CONFIG_TYPE");
      const { code: exit, json } = await cli(["config", "print", "data.train_batch_size=many", "--json"], { cwd });
      expect([exit, json<{ data: { train_batch_size: unknown } }>().data.train_batch_size]).to.deep.equal([2, "many"]);
    });

    it("leaves keys alone that a plugin may bring", async () => {
      const unknown = ["config", "print", "+acme.rate=1"];
      expect((await cli(unknown, { cwd })).stderr).to.include("VERL_CONFIG_UNKNOWN_KEY");
      expect((await cli([...unknown, "plugins=[acme]"], { cwd })).code).to.equal(0);
    });

    it("says of an explained key that its value would be refused", async () => {
      const args = ["config", "explain", "data.train_batch_size", "data.train_batch_size=many"];
      expect((await cli(args, { cwd })).stdout).to.match(/refused +data\.train_batch_size is "many"/);
      const { json } = await cli([...args, "--json"], { cwd });
      expect(json<{ problem: Problem }>().problem.code).to.equal("VERL_CONFIG_TYPE");
    });
  });
});
