import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Host } from "../../../../core/index.js";
import { Bench, rejection } from "../support/hosts.js";
import type { Project } from "../support/project.js";

describe("modules that the configuration names", () => {
  const bench = new Bench();
  let project: Project;
  let host: Host;
  beforeEach(async () => {
    project = bench.project({
      "reward.js": "export const score = () => 1;",
      "old.cjs": "exports.score = () => 2;",
      "typed.ts": "export const score = (): number => 3;",
      "broken.js": "\nthrow new Error('on purpose');",
    });
    project.install("rewards", {
      verl: null,
      packageJson: { exports: { "./math": "./math.js" } },
      files: { "math.js": "export const score = () => 4;" },
    });
    host = await bench.host(project, "");
  });
  afterEach(() => bench.clean());

  const references: [reference: string, score: number][] = [
    ["reward.js", 1],
    ["./reward.js", 1],
    ["file://./reward.js", 1],
    ["./old.cjs", 2],
    ["./typed.ts", 3],
    ["pkg://rewards/math", 4],
  ];
  for (const [reference, score] of references) {
    it(`are loaded from ${reference}`, async () => {
      const found = (await host.loadUserModule(reference, "score")) as () => number;
      expect(found()).to.equal(score);
    });
  }

  it("in TypeScript need the loader's compiler, unless Node.js strips types", async () => {
    const said = 'The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.';
    project.install("tsx", {
      verl: null,
      packageJson: { exports: { "./esm/api": "./api.js" } },
      files: {
        "api.js": `const stop = async () => { throw new Error(${JSON.stringify(said)}); };
          export const register = () => ({ import: stop, unregister: async () => {} });`,
      },
    });
    const own = await bench.host(project, "");
    if ((process.features as { typescript?: unknown }).typescript) {
      const found = (await own.loadUserModule("typed.ts", "score")) as () => number;
      expect(found()).to.equal(3);
    } else {
      const error = await rejection(own.loadUserModule("typed.ts", "score"));
      expect(error.code).to.equal("VERL_PLUGIN_TYPESCRIPT");
      expect(error.fix).to.include("npm install --include=optional");
    }
  });

  it("are loaded from an absolute path and a file: URL", async () => {
    const file = project.path("reward.js");
    expect(await host.loadUserModule(file, "score")).to.equal(
      await host.loadUserModule(pathToFileURL(file).href, "score"),
    );
  });

  it("are given whole without a name", async () => {
    expect(await host.loadUserModule("reward.js", null)).to.have.keys(["score"]);
  });

  for (const reference of ["./absent.js", "pkg://absent", "pkg://rewards/other", "file:///absent.js"]) {
    it(`are missed clearly at ${reference}`, async () => {
      const error = await rejection(host.loadUserModule(reference, "score"));
      expect(error.code).to.equal("VERL_USER_FILE_MISSING");
      expect(error.what).to.include(reference);
    });
  }

  it("that throw on import are an error of their own, with the line", async () => {
    const error = await rejection(host.loadUserModule("broken.js", "score", "trainer.hooks"));
    expect(error.where).to.include("(trainer.hooks)");
    expect(error.code).to.equal("VERL_USER_IMPORT_FAILED");
    expect(error.message).to.include("on purpose").and.to.include("broken.js:2");
  });

  for (const thrown of ["null", "undefined", "'a text'", "Object.create(null)"]) {
    it(`that throw ${thrown} on import are no defect of ours`, async () => {
      const other = await bench.host(bench.project({ "odd.mjs": `throw ${thrown};` }), "");
      expect((await rejection(other.loadUserModule("odd.mjs", null))).code).to.equal("VERL_USER_IMPORT_FAILED");
    });
  }

  const imports: [what: string, file: string, source: string, fix: string][] = [
    ["need a package that is not there", "needs.mjs", "import 'left-padd';", "npm install left-padd"],
    ["need a file that is not there", "needs.mjs", "import './gone.mjs';", "there is no such file"],
    ["are no JavaScript", "reward.py", "def score(): pass", ".mjs"],
  ];
  for (const [what, file, source, fix] of imports) {
    it(`that ${what} say what to do about it`, async () => {
      const other = await bench.host(bench.project({ [file]: source }), "");
      const error = await rejection(other.loadUserModule(file, "score"));
      expect(error.code).to.equal("VERL_USER_IMPORT_FAILED");
      expect(error.fix).to.include(fix);
    });
  }

  it("whose import never ends are named, with the key, the line, and what to do", async () => {
    const source = "const wait = async () => {\n  await 1;\n};\nexport const score = await new Promise(() => {});";
    const other = await bench.host(bench.project({ "stuck.js": source }), "", { deadlineMs: 200 });
    const error = await rejection(other.loadUserModule("stuck.js", "score", "reward.custom_reward_function.path"));
    expect(error.code).to.equal("VERL_USER_TIMEOUT");
    expect(error.where).to.match(/stuck\.js \(reward\.custom_reward_function\.path\)$/);
    expect(error.why).to.include("line 4").and.include("await new Promise");
    expect(error.fix).to.include("VERL_LOAD_DEADLINE_S");
    expect(bench.log.join("\n")).to.match(/stuck\.js \(reward\.\S+\) has not finished loading after 0\.1 s/);
  });

  it("that wait for one that they import say that it is not they", async () => {
    const files = { "outer.js": "import './inner.js';", "inner.js": "await new Promise(() => {});" };
    const other = await bench.host(bench.project(files), "", { deadlineMs: 200 });
    const error = await rejection(other.loadUserModule("outer.js", null));
    expect(error.code).to.equal("VERL_USER_TIMEOUT");
    expect(error.why).to.include("a module that it imports");
  });

  it("that lack the name are an error of their own, with the names that are there", async () => {
    const error = await rejection(host.loadUserModule("reward.js", "scroe"));
    expect(error.code).to.equal("VERL_USER_EXPORT_MISSING");
    expect(error.message).to.include('Did you mean "score"?').and.to.include("It exports score.");
  });
});

describe("hooks in a user's file", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  const forms: [what: string, file: string, source: string][] = [
    ["functions under hooks' names", "hooks.js", "export function onStepEnd() {}"],
    ["an export called hooks", "hooks.js", "export const hooks = { onStepEnd() {} };"],
    ["a default export", "hooks.js", "export default { onStepEnd() {} };"],
    ["CommonJS", "hooks.cjs", "exports.onStepEnd = () => {};"],
    ["TypeScript", "hooks.ts", "export function onStepEnd(context: unknown): void {}"],
  ];
  for (const [what, file, source] of forms) {
    it(`may be ${what}`, async () => {
      const host = await bench.host(bench.project({ [file]: source }), "");
      await host.registerUserHooks([`./${file}`]);
      const { hooks } = await host.services();
      expect(hooks.map((h) => [h.hooks.name, h.owner, typeof h.hooks.onStepEnd])).to.deep.equal([
        [`./${file}`, `./${file}@local`, "function"],
      ]);
    });
  }

  it("may be several sets, and keep their order after those of plugins", async () => {
    const project = bench.project({
      "hooks.js": "export const hooks = [{ name: 'one', onStepEnd() {} }, { onStepEnd() {} }];",
    });
    const host = await bench.host(project.install("plugin"), "plugin");
    await host.registerUserHooks(["./hooks.js"]);
    const { hooks } = await host.services();
    expect(hooks.map((h) => h.hooks.name)).to.deep.equal(["plugin", "one", "./hooks.js#2"]);
  });

  it("are no part of the fingerprint, which workers must share", async () => {
    const host = await bench.host(bench.project({ "hooks.js": "export function onStepEnd() {}" }), "");
    const before = host.fingerprint.hash;
    await host.registerUserHooks(["./hooks.js"]);
    expect(host.fingerprint.hash).to.equal(before);
  });

  it("are asked for by name when the file has none", async () => {
    const host = await bench.host(bench.project({ "hooks.js": "export function onStepEnds() {}" }), "");
    const error = await rejection(host.registerUserHooks(["./hooks.js"]));
    expect(error.code).to.equal("VERL_USER_EXPORT_MISSING");
    expect(error.why).to.include("onStepEnds");
  });

  it("are refused when one beside others is misspelt", async () => {
    const file = "export function onStepEnd() {} export const onStepBegins = () => {}; export const once = () => {};";
    const host = await bench.host(bench.project({ "hooks.js": file }), "");
    const error = await rejection(host.registerUserHooks(["./hooks.js"]));
    expect(error.code).to.equal("VERL_USER_HOOK_UNKNOWN");
    expect(error.what).to.include("onStepBegins").and.include("Did you mean onStepBegin?");
  });

  it("may stand beside functions that are no hooks", async () => {
    const file =
      "export function onStepEnd() {} export const once = () => {}; export const onWebhookMessage = () => {};";
    const host = await bench.host(bench.project({ "hooks.js": file }), "");
    await host.registerUserHooks(["./hooks.js"]);
    expect(host.registries.hooks.keys()).to.deep.equal(["./hooks.js"]);
  });
});
