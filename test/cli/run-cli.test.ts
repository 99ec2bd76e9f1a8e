import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cliErrors } from "../../cli/errors.js";
import { errorCard, exitCodeOf } from "../../cli/program/report-error.js";
import { agentErrors } from "../../core/agent/index.js";
import { errors as algorithmErrors } from "../../core/algorithms/errors.js";
import { engineErrors } from "../../core/engine/errors.js";
import { VerlError } from "../../core/host/errors.js";
import { pluginErrors } from "../../core/host/plugin-errors.js";
import { trainerErrors } from "../../core/trainer/errors.js";
import { transferErrors } from "../../core/transfer/errors.js";
import { errors as onnxErrors } from "../../engines/onnx/errors.js";
import { cli } from "./support.js";

describe("cli", () => {
  it("shows help with groups and examples, and the version", async () => {
    const help = await cli(["--help"]);
    expect(help.code).to.equal(0);
    for (const text of ["Runs:", "Looking:", "Extending:", "Examples:", "verl train grpo.yaml"]) {
      expect(help.stdout).to.contain(text);
    }
    expect((await cli(["--version"])).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it("shows the keys that most runs set in the help of train, from the schema", async () => {
    const { stdout } = await cli(["train", "--help"]);
    expect(stdout).to.contain("data.train_batch_size\n      Prompts per step. [64 prompts]");
  });

  it("answers a mistake on the command line with a card and exit code 2", async () => {
    const command = await cli(["trian"]);
    expect(command.code).to.equal(2);
    expect(command.stdout).to.equal("");
    expect(command.stderr).to.contain("VERL_CLI_USAGE").and.to.contain("Did you mean train?");
    expect((await cli(["train", "--dry-rum"])).stderr).to.contain("Did you mean --dry-run?");
    expect((await cli(["train", "setings"])).stderr).to.contain('"setings" is neither a YAML file nor an override');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-words-"));
    fs.writeFileSync(path.join(folder, "grpo.yaml"), "");
    const file = await cli(["train", path.join(folder, "grpo")]);
    fs.rmSync(folder, { recursive: true });
    expect(file.stderr).to.match(/neither a YAML file nor an override\. Did you mean .*grpo\.yaml\?/);
    expect((await cli(["config"])).stderr).to.contain("explain");
    expect((await cli([])).code).to.equal(2);
  });

  it("refuses empty values of options and arguments, which would stand for the working directory", async () => {
    for (const argv of [
      ["doctor", "--model", ""],
      ["doctor", "--model="],
      ["inspect", ""],
      ["inspect", "run", "--html", ""],
      ["checkpoints", ""],
      ["export", "run", "-o", ""],
      ["compare", "run", "", "--metric", "a"],
      ["eval", "--responses", ""],
      ["plugins", "test", ""],
      ["train", ""],
    ]) {
      const { code, stderr } = await cli(argv);
      expect(stderr, argv.join(" ")).to.include("VERL_CLI_USAGE").and.include("has an empty value");
      expect(code).to.equal(2);
    }
  });

  it("offers options of plugins only where plugins are loaded and used", async () => {
    for (const [argv, offers] of [
      [["train"], true],
      [["config", "check"], true],
      [["config", "print"], false],
      [["doctor"], false],
      [["plugins", "list"], false],
      [["plugins", "tree"], false],
    ] as const) {
      const { stdout } = await cli([...argv, "--help"]);
      for (const option of ["--allow-broken-plugins", "--frozen-plugins [file]"]) {
        expect(stdout.includes(option), `${argv.join(" ")} ${option}`).to.equal(offers);
      }
    }
  });

  it("takes a lock file after --frozen-plugins, and leaves other words to their own meaning", async () => {
    const named = await cli(["config", "check", "--frozen-plugins", "mine.json"]);
    expect(named.stderr).to.include("mine.json");
    const usual = await cli(["config", "check", "--frozen-plugins", "none.yaml"]);
    expect(usual.stderr).to.include("VERL_CONFIG_FILE").and.include("none.yaml");
    expect((await cli(["config", "check", "--frozen-plugins"])).stderr).to.include("verl-plugins.lock.json");
  });

  it("prints errors as JSON on standard output when asked to", async () => {
    const { code, stderr, json } = await cli(["config", "print", "data.seeed=1", "--json"]);
    expect(code).to.equal(2);
    expect(stderr).to.equal("");
    expect(json()).to.deep.include({ exitCode: 2 });
    expect(json<{ error: { code: string; what: string } }>().error).to.include({ code: "VERL_CONFIG_OVERRIDE" });
  });

  it("colours cards only where that was asked for", async () => {
    const colour = "\u001b[";
    expect((await cli(["trian"])).stderr).not.to.contain(colour);
    expect((await cli(["trian"], { color: true })).stderr).to.contain(colour);
  });

  it("explains error codes, and names the nearest one", async () => {
    const known = await cli(["explain", "verl_config_sizes"]);
    expect(known.stdout).to.contain("VERL_CONFIG_SIZES\n  Batch sizes or lengths do not fit together.");
    expect((await cli(["explain", "VERL_CONFIG_SIZE"])).stderr).to.contain("Did you mean VERL_CONFIG_SIZES?");
    expect((await cli(["explain", "data.seed"])).stderr).to.contain("`verl help data.seed` searches");
    expect((await cli(["explain", "VERL_CLI_USAGE", "--json"])).json()).to.have.property("summary");
  });

  it("puts the lines of an error inside an error below it, apart from the outer one's", () => {
    const error = cliErrors.VERL_CLI_OUTPUT({ what: "outer", why: "INNER: reason\n  fix:   inner", fix: "outer" });
    const lines = errorCard(error, false).split("\n");
    expect(lines.filter((line) => line.startsWith("  fix:"))).to.deep.equal(["  fix:   outer"]);
  });

  it("exits with 2 where a file of agents is wrong, and with 1 where a session is", () => {
    const { VERL_AGENT_BAD_LIST, VERL_AGENT_BAD_TOOL, VERL_AGENT_UNKNOWN_LOOP, VERL_AGENT_BAD_OUTPUT } = agentErrors;
    for (const wrong of [VERL_AGENT_BAD_LIST, VERL_AGENT_BAD_TOOL, VERL_AGENT_UNKNOWN_LOOP]) {
      expect(exitCodeOf(wrong({ what: "wrong" }))).to.equal(2);
    }
    expect(exitCodeOf(VERL_AGENT_BAD_OUTPUT({ what: "wrong" }))).to.equal(1);
    expect(exitCodeOf(pluginErrors.VERL_USER_UNHANDLED({ what: "a tool's timer threw" }))).to.equal(1);
  });

  it("exits with 2 where a setting is wrong that only its reader can judge", () => {
    const wrong = { what: "wrong" };
    for (const error of [
      algorithmErrors.VERL_ALGORITHMS_BAD_VALUE(wrong),
      engineErrors.VERL_ENGINE_NOT_FOUND(wrong),
      onnxErrors.VERL_ONNX_BAD_ADAPTER(wrong),
      onnxErrors.VERL_ONNX_NO_HEAD(wrong),
      trainerErrors.VERL_TRAINER_RESUME_MISMATCH(wrong),
      transferErrors.VERL_REPLAY_CONFIG(wrong),
      // Of a plugin's engine, among the problems of a configuration.
      new VerlError("VERL_ACME_LIMIT", { ...wrong, data: { problems: [wrong] } }),
    ]) {
      expect(exitCodeOf(error), error.code).to.equal(2);
    }
    expect(exitCodeOf(trainerErrors.VERL_TRAINER_DIVERGED(wrong))).to.equal(1);
  });

  it("puts the mark below the place of an override that cannot be read, and names the command's own help", async () => {
    const { stderr } = await cli(["config", "print", "trainer.project_name=a}"]);
    const lines = stderr.split("\n");
    const at = lines.findIndex((line) => line.includes("why:"));
    expect(lines[at + 1].indexOf("^"), stderr).to.equal(lines[at].indexOf("}"));
    const usage = await cli(["config", "explain", "--serch", "x"]);
    expect(usage.stderr).to.include("`verl config explain --help` shows what it takes.");
  });
});
