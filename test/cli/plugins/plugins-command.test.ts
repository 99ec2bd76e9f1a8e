import { readFileSync } from "node:fs";
import { expect } from "chai";
import { pluginDoctor, pluginTree } from "../../../cli/plugins/plugins-command.js";
import { listPlugins } from "../../../cli/plugins/plugins-list.js";
import { lockPlugins } from "../../../cli/plugins/plugins-lock.js";
import { LOCK_FILE, readLock } from "../../../core/host/index.js";
import { Bench } from "../../core/host/support/hosts.js";
import { type Project, registers } from "../../core/host/support/project.js";
import { cli } from "../support.js";

describe("verl plugins", () => {
  const bench = new Bench();
  let project: Project;
  const request = (modules: string, env: Record<string, string> = {}) => ({
    cwd: project.dir,
    env: { VERL_USE_EXTERNAL_MODULES: modules, ...env },
    plugins: [],
  });
  beforeEach(() => {
    project = bench.project({ "package.json": { name: "user", dependencies: { idle: "1" } } });
    project.install("idle").install("good", { version: "1.2.0" });
    project.install("bad", { files: { "register.js": "throw new Error('no driver');" } });
  });
  afterEach(() => bench.clean());

  it("list shows what would be loaded and what is only installed, without running anything", () => {
    const { text, json, exitCode } = listPlugins(request("bad,good"));
    expect(exitCode).to.equal(0);
    expect(text).to.match(/^plugin +version +loaded by/);
    expect(text).to.match(/good +1\.2\.0 +VERL_USE_EXTERNAL_MODULES +hooks +all/);
    expect(text).to.match(/idle +1\.0\.0 +installed, not loaded/);
    expect(json).to.have.nested.property("plugins[0].name", "bad");
    expect(json).to.have.nested.property("available[0].name", "idle");
  });

  it("list shows the card of what cannot be loaded, and fails", () => {
    const { text, json, exitCode } = listPlugins(request("good,absent"));
    expect(exitCode).to.equal(2);
    expect(text).to.include("VERL_PLUGIN_NOT_FOUND").and.to.include("good");
    expect(json).to.have.nested.property("failed[0].error.code", "VERL_PLUGIN_NOT_FOUND");
  });

  it("list says so when there is nothing", () => {
    project.write({ "package.json": { name: "user" } });
    expect(listPlugins(request("")).text).to.equal("No plugins besides the built-ins.");
  });

  it("list --write-lock records the lock", async () => {
    const { text } = await lockPlugins(request("good"), true);
    expect(text).to.include(project.path(LOCK_FILE));
    expect(readLock(project.path(LOCK_FILE)).plugins.map((p) => p.name)).to.deep.equal(["good"]);
  });

  it("list --write-lock before a configuration leaves the configuration alone", async () => {
    project.write({ "run.yaml": "trainer: {seed: 7}\n" });
    const env = { VERL_USE_EXTERNAL_MODULES: "good" };
    const { code } = await cli(["plugins", "list", "--write-lock", "run.yaml"], { cwd: project.dir, env });
    expect(code).to.equal(0);
    expect(readLock(project.path(LOCK_FILE)).plugins.map((p) => p.name)).to.deep.equal(["good"]);
    expect(readFileSync(project.path("run.yaml"), "utf8")).to.equal("trainer: {seed: 7}\n");
  });

  it("tree shows what each registered, built-ins included, and what failed", async () => {
    const { text, json, exitCode } = await pluginTree(request("good,bad"));
    expect(exitCode).to.equal(2);
    expect(text).to.include("verl-ts/platforms/cpu@0.1.0 (built in)\n└─ platform: cpu");
    expect(text).to.match(/good@1\.2\.0 \(import \d+ ms, register \d+ ms\)\n└─ hooks: good/);
    expect(text).to.include("bad@1.0.0 (failed").and.to.include("no driver");
    expect(JSON.parse(JSON.stringify(json)).plugins.at(-1)).to.nested.include({
      "error.code": "VERL_PLUGIN_IMPORT_FAILED",
    });
  });

  describe("why", () => {
    const why = (name: string, modules = "", ...args: string[]) =>
      cli(["plugins", "why", name, ...args], { cwd: project.dir, env: { VERL_USE_EXTERNAL_MODULES: modules } });

    it("says who asked for a plugin, what it registered, and what needs it", async () => {
      project.install("user", { verl: { requires: ["good"] } });
      const { code, stdout } = await why("good", "user,good");
      expect(code).to.equal(0);
      expect(stdout).to.match(
        /^good@1\.2\.0 is loaded: asked for by VERL_USE_EXTERNAL_MODULES as good\.\n {2}from .*good/,
      );
      expect(stdout).to.include("  registered hooks good\n").and.to.include("  loaded before user\n");
    });

    it("says why a plugin is not loaded", async () => {
      expect((await why("idle")).stdout).to.match(
        /^idle@1\.0\.0 is installed .* nobody asks for it\.\n {2}to load it: /,
      );
      const bad = await why("bad", "bad");
      expect(bad.code).to.equal(2);
      expect(bad.stdout).to.include("failed (import)").and.to.include("no driver");
      project.install("plain", { verl: null });
      expect((await why("plain")).stdout).to.include("VERL_PLUGIN_NO_MANIFEST");
    });

    it("says who registered a name, whom it replaced, and which settings use it", async () => {
      project.install("other", {
        verl: { provides: ["tracker"] },
        files: {
          "register.js": `export const register = (host) => host.trackers.register(
            { name: "console", create: () => ({ name: "console", start() {}, log() {}, finish() {} }) },
            { override: true },
          );`,
        },
      });
      const { stdout } = await why("console", "other", "trainer.logger=[console]");
      expect(stdout).to.match(/tracker console: registered by other@1\.0\.0\n {2}replaces that of verl-ts\/trackers@/);
      expect(stdout).to.include('  used by trainer.logger (override "trainer.logger=[console]")');
      const engine = await cli(["plugins", "why", "onnx", "--json"], { cwd: project.dir });
      const { registrations } = engine.json<{ registrations: { kind: string }[] }>();
      expect(registrations.map(({ kind }) => kind)).to.include.members(["engine", "rollout", "serverAdapter"]);
    });

    it("names the nearest name to one that nobody has", async () => {
      const { code, stderr } = await why("grpoo");
      expect(code).to.equal(2);
      expect(stderr).to.include("VERL_CLI_UNKNOWN_NAME").and.to.include("Did you mean grpo?");
    });
  });

  it("doctor names failures with their fix, oddities, and every platform's probe", async () => {
    project.install("odd", {
      verl: { provides: ["hooks", "engine"] },
      files: { "register.js": registers("odd", "process.env.VERL_TEST_ODD = '1';") },
    });
    const { text, exitCode } = await pluginDoctor(request("bad,odd"));
    delete process.env.VERL_TEST_ODD;
    expect(exitCode).to.equal(2);
    expect(text).to.match(/failed +plugin bad@1\.0\.0: VERL_PLUGIN_IMPORT_FAILED.*\n +fix: /);
    expect(text).to.match(/warning +plugin odd@1\.0\.0: declares engine and registered none/);
    expect(text).to.include("changed process.env: VERL_TEST_ODD");
    expect(text).to.match(/ok +platform cpu: usable: /);
  });

  it("doctor fails when VERL_PLATFORM names what nobody registered", async () => {
    const { text, exitCode } = await pluginDoctor(request("", { VERL_PLATFORM: "acme" }));
    expect(exitCode).to.equal(2);
    expect(text).to.match(
      /failed +platform acme: .*not registered\n +fix: Use one of nvidia, huawei, amd, cpu, webgpu/,
    );
  });
});
