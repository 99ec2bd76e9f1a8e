import { expect } from "chai";
import type { HelpMatches } from "../../../cli/program/help-command.js";
import { cli } from "../support.js";

describe("cli/help", () => {
  it("without words, and with --help, shows the commands in groups", async () => {
    const { code, stdout } = await cli(["help"]);
    expect(code).to.equal(0);
    expect(stdout).to.equal((await cli(["--help"])).stdout);
    expect(stdout)
      .to.match(/^Runs:$/m)
      .and.match(/^Looking:$/m)
      .and.match(/^Extending:$/m);
  });

  it("shows the help of the command that the words name, keys included", async () => {
    expect((await cli(["help", "config", "diff"])).stdout).to.equal((await cli(["config", "diff", "--help"])).stdout);
    expect((await cli(["help", "train"])).stdout).to.equal((await cli(["train", "--help"])).stdout);
  });

  it("searches commands, options, keys and error codes for other words", async () => {
    const { stdout } = await cli(["help", "checkpoint"]);
    expect(stdout).to.match(/^Commands:\n {2}verl checkpoints +List the checkpoints/m);
    expect(stdout).to.match(/^Keys:\n(.*\n)* {2}trainer\.default_local_dir /m);
    expect(stdout).to.match(/^Error codes:\n(.*\n)* {2}VERL_\w*CHECKPOINT\w* /m);
    const { json } = await cli(["help", "broken", "plugins", "--json"]);
    const { options } = json<HelpMatches>();
    expect(options.map(({ name }) => name)).to.include("verl train --allow-broken-plugins");
  });

  it("takes every word as a condition", async () => {
    const { json } = await cli(["help", "learning", "rate", "--json"]);
    const { keys } = json<HelpMatches>();
    expect(keys.map(({ name }) => name)).to.include("actor_rollout_ref.actor.optim.lr");
    for (const { name, description } of keys) expect(`${name} ${description}`.toLowerCase()).to.contain("rate");
  });

  it("says so where nothing holds the words", async () => {
    const { code, stdout, stderr } = await cli(["help", "qwertz"]);
    expect([code, stdout]).to.deep.equal([0, ""]);
    expect(stderr).to.contain("Nothing holds qwertz.");
  });
});
