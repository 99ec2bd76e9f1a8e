import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { KINDS } from "../../core/index.js";
import { cli } from "./support.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const TEMPLATES = [
  "command",
  "dataset",
  "engine",
  "estimator",
  "hooks",
  "loop",
  "loop-manager",
  "loss",
  "platform",
  "processor",
  "queue",
  "reward",
  "reward-manager",
  "reward-model",
  "rollout",
  "sampler",
  "sandbox",
  "tool",
  "tool-parser",
  "tracer",
  "tracker",
  "trainer",
];

describe("scaffolds", () => {
  let cwd = "";
  beforeEach(async () => {
    cwd = await mkdtemp(path.join(os.tmpdir(), "verl-new-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));
  const at = (...parts: string[]) => path.join(cwd, ...parts);
  const verl = (...args: string[]) => cli(args, { cwd });
  const json = async (...parts: string[]) =>
    JSON.parse(await readFile(at(...parts), "utf8")) as Record<string, unknown>;
  const node = (args: readonly string[], folder: string) =>
    spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });

  /** What `npm install` would bring: this package itself, and the compiler's types. */
  async function link(folder: string): Promise<void> {
    await mkdir(path.join(folder, "node_modules"));
    await symlink(repository, path.join(folder, "node_modules", "verl-ts"), "junction");
    for (const name of ["@types", "tsx"]) {
      await symlink(path.join(repository, "node_modules", name), path.join(folder, "node_modules", name), "junction");
    }
  }
  const compile = (folder: string) =>
    node([path.join(repository, "node_modules/typescript-7/bin/tsc"), "-p", folder], folder);

  // Only Linux has /proc; a file takes no folders either.
  for (const command of [
    ["new", "project"],
    ["plugins", "new", "plugin", "--kind", "reward", "--dir"],
  ]) {
    it(`verl ${command.slice(0, 2).join(" ")} ends where no folder can be made`, async () => {
      await writeFile(at("taken"), "");
      const above = process.platform === "linux" ? "/proc/verl-none" : at("taken");
      const target = path.join(above, "x");
      const args = command[0] === "new" ? ["new", target] : [...command, target];
      const { code, stderr } = await verl(...args);
      expect(code).to.equal(2);
      expect(stderr).to.contain("VERL_CLI_OUTPUT").and.to.contain(target);
    });
  }

  describe("verl new", () => {
    it("lists its templates", async () => {
      expect((await verl("new")).stdout).to.match(/^chat +.*\nletters +A tiny model/);
      expect((await verl("new", "--json")).json<{ name: string }[]>().map(({ name }) => name)).to.include("letters");
    });

    it("writes a project named after its folder, whose configuration is sound", async () => {
      const { code, stdout } = await verl("new", "My Run");
      expect(code).to.equal(0);
      expect(stdout).to.include('cd "My Run"').and.include("npm install").and.include("npm run train");
      expect(await readdir(at("My Run"))).to.include.members([".gitignore", ".github", "package.json", "reward.ts"]);
      expect(await json("My Run", "package.json")).to.deep.include({
        name: "my-run",
        allowScripts: { esbuild: false, koffi: false, "onnxruntime-node": false },
      });
      expect(await readFile(at("My Run", "grpo.yaml"), "utf8")).to.include("project_name: my-run");
      const checked = await cli(["config", "check", "grpo.yaml"], { cwd: at("My Run") });
      expect(checked.code, checked.stderr).to.equal(0);
    });

    it("writes what compiles, whatever the template", async function () {
      this.timeout(60_000);
      for (const template of ["letters", "chat"]) {
        await verl("new", template, "--template", template);
        await link(at(template));
        expect(compile(at(template)).stdout).to.equal("");
      }
    });

    it("trains to its end without a warning, and the reward rises", async function () {
      this.timeout(180_000);
      await verl("new", "run");
      const { code, stdout, stderr } = await cli(["train", "grpo.yaml", "trainer.default_local_dir=out"], {
        cwd: at("run"),
      });
      expect(code, stderr).to.equal(0);
      expect(stderr + stdout)
        .to.match(/^done: 40 steps/m)
        .and.not.match(/\b(warn|warning|health|deprecated|note)\b/i);
      const lines = (await readFile(at("run/out/metrics.jsonl"), "utf8")).trim().split("\n");
      const rewards = lines.flatMap(
        (line) => (JSON.parse(line) as { data: Record<string, number> }).data["critic/rewards/mean"] ?? [],
      );
      expect(rewards.at(-1)).to.be.greaterThan(rewards[0] + 0.5);
    });

    it("leaves a folder alone that holds something", async () => {
      await mkdir(at("full"));
      await writeFile(at("full", "thesis.txt"), "");
      const { code, stderr } = await verl("new", "full");
      expect(code).to.equal(2);
      expect(stderr).to.include("VERL_CLI_OUTPUT").and.include("thesis.txt");
      expect(await readdir(at("full"))).to.deep.equal(["thesis.txt"]);
      expect((await verl("new", "x", "--template", "none")).stderr).to.include("Choose one of chat, letters.");
      await mkdir(at("repository/.git"), { recursive: true });
      expect((await verl("new", "repository")).code).to.equal(0);
    });
  });

  describe("verl plugins new", () => {
    it("lists its kinds, and asks for one", async () => {
      const list = await verl("plugins", "new", "--json");
      expect(list.json<{ kind: string }[]>().map(({ kind }) => kind)).to.deep.equal(TEMPLATES);
      expect((await verl("plugins", "new", "verl-x")).stderr).to.include("--kind");
      expect((await verl("plugins", "new", "verl-x", "--kind", "trackerr")).stderr).to.include("Did you mean tracker?");
      expect((await verl("plugins", "new", "Verl X", "--kind", "hooks")).code).to.equal(2);
    });

    it("has a template for every kind of the plugin API", async () => {
      await verl("plugins", "new", "verl-all", "--kind", TEMPLATES.join(","));
      const { provides } = (await json("verl-all", "package.json")).verl as { provides: string[] };
      expect(provides).to.have.members(Object.values(KINDS).map(({ name }) => name));
    });

    it("names a scoped package's folder and registrations after the package", async () => {
      expect((await verl("plugins", "new", "@acme/verl-loud", "--kind", "tracker")).code).to.equal(0);
      expect(await json("verl-loud", "package.json")).to.deep.include({
        name: "@acme/verl-loud",
        verl: { apiVersion: "^1.0.0", register: "./dist/register.js", provides: ["tracker"] },
      });
      expect(await readFile(at("verl-loud/src/tracker.ts"), "utf8")).to.include('name: "loud"');
    });

    it("writes a platform and an engine that train together", async function () {
      this.timeout(60_000);
      await verl("plugins", "new", "verl-npu", "--kind", "platform,engine");
      const folder = at("verl-npu");
      await link(folder);
      expect(compile(folder).stdout).to.equal("");
      expect((await verl("new", "run")).code).to.equal(0);
      const { code, stderr } = await cli(
        ["train", "grpo.yaml", "trainer.total_training_steps=1", "trainer.test_freq=-1", "trainer.save_freq=-1"],
        {
          cwd: at("run"),
          env: {
            VERL_USE_EXTERNAL_MODULES: path.join(folder, "dist/register.js"),
            VERL_PLATFORM: "npu",
            VERL_ENGINE: "npu",
          },
        },
      );
      expect(code, stderr).to.equal(0);
    });

    it("writes a package of every kind that compiles, passes its own tests and `verl plugins test`", async function () {
      this.timeout(120_000);
      await verl("plugins", "new", "verl-acme", "--kind", TEMPLATES.join(","));
      const folder = at("verl-acme");
      await link(folder);
      const compiled = compile(folder);
      expect(compiled.stdout).to.equal("");
      const own = node(["--test", "test/conformance.test.js"], folder);
      expect(own.stdout).to.match(/^(#|ℹ) fail 0$/m);
      expect(own.status).to.equal(0);
      const texts = await Promise.all(
        (await readdir(folder, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
          .map((entry) => readFile(path.join(entry.parentPath, entry.name), "utf8")),
      );
      expect(
        texts.filter((text) => /__[A-Z_]+__/.test(text)),
        "placeholders",
      ).to.deep.equal([]);

      const tested = await verl("plugins", "test", "verl-acme", "--skip", "rollout", "--json");
      expect(tested.code).to.equal(0);
      const { failed, suites } = tested.json<{
        failed: number;
        suites: { suite: string; cases: object[]; skipped?: string }[];
      }>();
      expect(failed).to.equal(0);
      const run = suites.filter(({ cases }) => cases.length > 0).map(({ suite }) => suite.split(" ")[0]);
      const kinds = Object.values(KINDS).map(({ name }) => name);
      // A rollout is left out, and its adapter is tried with it.
      expect(run).to.have.members(["plugin", ...kinds.filter((kind) => !/^(rollout|serverAdapter)$/.test(kind))]);
      expect(suites.find(({ suite }) => suite === "rollout acme")?.skipped).to.equal("left out by --skip");
    });
  });

  describe("verl plugins test", () => {
    /** A plugin in one file, as a built package. */
    async function plugin(register: string, provides: readonly string[]): Promise<string> {
      const folder = at("plugin");
      await mkdir(folder);
      const verlSection = { apiVersion: "^1.0.0", register: "./register.js", provides };
      const packageJson = { name: "verl-bad", version: "1.0.0", type: "module", verl: verlSection };
      await writeFile(path.join(folder, "package.json"), JSON.stringify(packageJson));
      await writeFile(path.join(folder, "register.js"), `export const register = (host) => { ${register} };`);
      return folder;
    }

    it("runs the suites of a package as it is published, a rollout fed by the default engine included", async function () {
      this.timeout(120_000);
      const source = path.join(repository, "examples/plugins/inference");
      await cp(source, at("inference"), { recursive: true, filter: (file) => !/[\\/](node_modules|dist)$/.test(file) });
      await link(at("inference"));
      expect(compile(at("inference")).stdout).to.equal("");
      const { code, stdout } = await verl("plugins", "test", "inference");
      expect(stdout)
        .to.match(/\nrollout plainjs\n {2}ok {4}/)
        .and.match(/\n\d+ passed, 0 failed\n$/);
      expect(code).to.equal(0);
    });

    it("says which case failed and why, and fails", async () => {
      const broken = `host.trackers.register({ name: "bad", create: () => ({ name: "other", start() {}, log() { throw new Error("disk full"); }, finish() {} }) });`;
      const { code, stdout } = await cli(["plugins", "test", await plugin(broken, ["tracker"])]);
      expect(code).to.equal(1);
      expect(stdout).to.match(/ {2}FAIL {2}.*\n {8}disk full/);
      expect(stdout).to.match(/\n\d+ passed, [1-9]\d* failed\n$/);
    });

    it("tries queues with queues' suite", async () => {
      const sieve = `host.transferQueues.register({ name: "sieve", create: async () => ({ async close() {} }) });`;
      const { code, stdout } = await cli(["plugins", "test", await plugin(sieve, ["transferQueue"])]);
      expect(code).to.equal(1);
      expect(stdout).to.match(/\ntransferQueue sieve\n {2}FAIL/);
    });

    it("says why a suite cannot be run", async () => {
      const files = `host.datasets.register({ name: "d", create: async ({ files }) => { throw new Error("name a file"); } });`;
      const adapter = `host.serverAdapters.register({ name: "a", createAdapter() {} });`;
      const model = `host.rewardModels.register({ name: "m", create: ({ servers }) => servers() });`;
      const folder = await plugin(files + adapter + model, ["dataset", "serverAdapter", "rewardModel"]);
      const { code, stdout } = await cli(["plugins", "test", folder]);
      expect(code, stdout).to.equal(0);
      expect(stdout).to.include("dataset d: not run, it makes no data set without files: name a file");
      expect(stdout).to.include('serverAdapter a: not run, there is no rollout "a" to feed');
      expect(stdout).to.match(/rewardModel m: not run, it cannot start here.*no servers/);
    });

    it("runs a sandbox's suite on a language that is not Python, as far as it goes", async () => {
      const box = `{ name: "s", mechanism: "none", probe: async () => ({ available: true, languages: ["x"] }), create: () => { throw new Error("broken"); } }`;
      const { code, stdout } = await cli([
        "plugins",
        "test",
        await plugin(`host.sandboxes.register(${box});`, ["sandbox"]),
      ]);
      expect(code).to.equal(1);
      expect(stdout).to.include("ok    names its mechanism").and.include("broken");
    });

    it("shows the card of a plugin that cannot be loaded", async () => {
      const { code, stderr } = await cli(["plugins", "test", await plugin("throw new Error('no driver')", ["hooks"])]);
      expect(code).to.equal(2);
      expect(stderr).to.include("VERL_PLUGIN_REGISTER_FAILED").and.include("no driver");
    });
  });
});
