import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { processIo } from "../../../cli/program/io.js";
import { createProgram } from "../../../cli/program/program.js";
import { RESERVED_COMMANDS } from "../../../core/plugin.js";
import { cli } from "../support.js";

const PLUGIN = `
const command = {
  name: "greet",
  description: "Greets whoever is named.",
  usage: "NAME",
  async run({ args: [name], stdout, registries }) {
    if (name === "nobody") throw new Error("there is nobody");
    if (!name) return 2;
    stdout.write("hello " + name + ", " + registries.trackers.keys().length + " trackers\\n");
  },
};
const plugin = { name: "greeter", apiVersion: "^1.0.0", provides: ["command"], register: (host) => host.commands.register(command) };
`;

describe("commands of plugins", () => {
  let cwd = "";
  before(async () => {
    cwd = await mkdtemp(path.join(os.tmpdir(), "verl-commands-"));
    const entry = new URL("../../../core/plugin.js", import.meta.url).href;
    const file = (name: string, text: string) =>
      writeFile(path.join(cwd, name), `import { definePlugin } from ${JSON.stringify(entry)};\n${text}`);
    await file("greet.mjs", `${PLUGIN}\nexport default definePlugin(plugin);`);
    await file("train.mjs", `${PLUGIN}\ncommand.name = "train";\nexport default definePlugin(plugin);`);
  });
  after(() => rm(cwd, { recursive: true }));
  const verl = (argv: string[], modules = "./greet.mjs") =>
    cli(argv, { cwd, env: modules === "" ? {} : { VERL_USE_EXTERNAL_MODULES: modules } });

  it("run where the environment names their plugin, with the words behind their name", async () => {
    const greeted = await verl(["greet", "Ann"]);
    expect(greeted.code, greeted.stderr).to.equal(0);
    expect(greeted.stdout).to.match(/^hello Ann, [1-9]\d* trackers\n$/);
    expect((await verl(["greet"])).code).to.equal(2);
    expect((await verl(["greet", "nobody"])).stderr)
      .to.include("VERL_CLI_INTERNAL")
      .and.include("there is nobody");
  });

  it("show what they take", async () => {
    const { stdout } = await verl(["greet", "--help"]);
    expect(stdout).to.include("Usage: verl greet NAME").and.include("Greets whoever is named.");
  });

  it("are listed in the help, and offered to complete, where their plugin is named", async () => {
    expect((await verl(["--help"])).stdout).to.match(
      /Of plugins:\n {2}greet {2}Greets whoever is named\.\n\nExamples:/,
    );
    expect((await verl(["--help"], "")).stdout).not.to.include("Of plugins");
    expect((await verl(["completion", "bash"])).stdout).to.match(/'' *\) echo '.*\bgreet\b/);
  });

  it("are unknown without their plugin, as are other words with it", async () => {
    expect((await verl(["greet", "Ann"], "")).stderr).to.include("VERL_CLI_USAGE");
    expect((await verl(["great"])).stderr).to.include("VERL_CLI_USAGE");
  });

  it("cannot take a name that is built in", async () => {
    const { code, stdout } = await verl(["plugins", "tree"], "./train.mjs");
    expect(code).to.equal(2);
    expect(stdout).to.include("VERL_PLUGIN_BAD_ITEM").and.include("`verl train` is built in");
    const program = createProgram({ io: processIo(), finish: async () => {} });
    expect(program.commands.map((command) => command.name())).to.have.members([...RESERVED_COMMANDS]);
  });
});
