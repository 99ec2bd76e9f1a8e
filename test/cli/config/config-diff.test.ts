import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { composeConfig, saveConfig } from "../../../core/config/index.js";
import { writeRunFiles } from "../../../core/tracking/index.js";
import { cli } from "../support.js";

interface Change {
  readonly key: string;
  readonly before: { readonly value: unknown; readonly source: string } | null;
  readonly after: { readonly value: unknown; readonly source: string } | null;
  readonly follows: boolean;
}

describe("verl config diff", () => {
  let cwd = "";
  before(async () => {
    cwd = await mkdtemp(path.join(os.tmpdir(), "verl-diff-"));
    await writeFile(
      path.join(cwd, "a.yaml"),
      "trainer: {seed: 7}\nreward:\n  reward_kwargs: {api_key: first, depth: 1}\n",
    );
    await writeFile(path.join(cwd, "b.yaml"), "trainer: {seed: 8}\nreward:\n  reward_kwargs: {api_key: second}\n");
    const { tree } = await composeConfig({ files: ["a.yaml"], overrides: ["trainer.threads=2"], env: {}, cwd });
    const note = { version: "0.1.0", cwd, startedAt: "2026-01-01T00:00:00.000Z" };
    await writeRunFiles(path.join(cwd, "run"), saveConfig(tree, {}), note);
  });
  after(() => rm(cwd, { recursive: true }));

  const changes = async (...args: string[]) => {
    const { code, json } = await cli(["config", "diff", ...args, "--json"], { cwd });
    expect(code).to.equal(0);
    return Object.fromEntries(json<{ changes: Change[] }>().changes.map((change) => [change.key, change]));
  };

  it("shows old and new value of each key with its source, secrets masked", async () => {
    const { code, stdout } = await cli(["config", "diff", "a.yaml", "b.yaml", "trainer.threads=3"], { cwd });
    expect(code).to.equal(0);
    expect(stdout).to.include("trainer.seed\n  - 7  a.yaml:1:17\n  + 8  b.yaml:1:17\n");
    expect(stdout).to.include('trainer.threads\n  - 0  default\n  + 3  override "trainer.threads=3"\n');
    expect(stdout).to.include('reward.reward_kwargs.api_key\n  - "********"');
    expect(stdout).to.include("reward.reward_kwargs.depth\n  - 1  a.yaml:3:42\n");
    expect(stdout).not.to.match(/first|second/);
  });

  it("says of wrong types and unknown keys that they are, and compares all the same", async () => {
    await writeFile(path.join(cwd, "wrong.yaml"), "trainer: {sed: 3, seed: 8}\ndata: {seed: x}\n");
    const { code, stdout, stderr } = await cli(["config", "diff", "a.yaml", "wrong.yaml"], { cwd });
    expect(stdout).to.include("trainer.seed\n  - 7");
    expect(stderr).to.include("trainer.sed").and.include("trainer.seed").and.include("data.seed is");
    expect(code).to.equal(2);
    const both = await cli(["config", "diff", "a.yaml", "data.seed=x", "vs", "b.yaml", "data.seed=x"], { cwd });
    expect(both.stderr.match(/data\.seed is/g)).to.have.length(1);
  });

  it("sets apart what nobody set: it follows other keys", async () => {
    const { stdout } = await cli(["config", "diff", "a.yaml", "b.yaml"], { cwd });
    expect(stdout).to.match(/following from these:\ndata\.seed\n/);
  });

  it("shows what overrides change in a file, and what a file changes in the defaults", async () => {
    expect(Object.keys(await changes("a.yaml", "trainer.threads=2"))).to.deep.equal(["trainer.threads"]);
    const { "trainer.seed": seed } = await changes("a.yaml");
    expect(seed).to.deep.include({
      before: { value: 1, source: "default" },
      after: { value: 7, source: "a.yaml:1:17" },
    });
    expect(await changes("a.yaml", "a.yaml")).to.deep.equal({});
  });

  it("takes any two command lines around `vs`", async () => {
    const found = await changes("a.yaml", "trainer.threads=1", "vs", "a.yaml", "b.yaml", "trainer.threads=2");
    expect(found["trainer.threads"].before?.value).to.equal(1);
    expect(found["trainer.seed"].after?.value).to.equal(8);
  });

  it("compares what a run kept, with the sources of then", async () => {
    const found = await changes("run", "b.yaml");
    expect(found["trainer.seed"].before).to.deep.equal({ value: 7, source: `${path.join(cwd, "a.yaml")}:1:17` });
    expect(found["trainer.threads"].before).to.deep.equal({ value: 2, source: 'override "trainer.threads=2"' });
    expect(found["data.seed"].follows).to.equal(true);
    expect(found, "what the key was is not known").not.to.have.property("reward.reward_kwargs.api_key");
    expect(await changes("run", "run")).to.deep.equal({});
  });

  it("takes the file that a run kept for what was set and what was default", async () => {
    const { stdout } = await cli(["config", "print", "run/config.yaml", "--sources"], { cwd });
    expect(stdout).to.match(/ {2}seed: 7 # .*run\/config\.yaml:\d+:9\n/);
    expect(stdout).to.match(/ {2}total_epochs: 1\n/);
    const again = await cli(["config", "print", "run/config.yaml"], { cwd });
    expect(again.stdout).to.equal((await cli(["config", "print", "a.yaml", "trainer.threads=2"], { cwd })).stdout);
  });

  it("refuses what has no meaning", async () => {
    for (const [args, text] of [
      [["a.yaml", "b.yaml", "a.yaml"], "Write `vs` between"],
      [["a.yaml", "vs", "run", "trainer.seed=1"], "run/config.yaml"],
      [[], "missing required argument"],
    ] as const) {
      const { code, stderr } = await cli(["config", "diff", ...args], { cwd });
      expect(code).to.equal(2);
      expect(stderr.toLowerCase()).to.include(text.toLowerCase());
    }
  });
});
