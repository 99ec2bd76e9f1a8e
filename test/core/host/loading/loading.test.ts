import { expect } from "chai";
import { Bench } from "../support/hosts.js";
import { registers } from "../support/project.js";

describe("loading plugins", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("names package, file and cause when a module throws on import", async () => {
    const project = bench
      .project()
      .install("broken", { version: "3.1.4", files: { "register.js": "throw new TypeError('no driver');" } });
    const error = await bench.failure(project, "broken");
    expect(error.code).to.equal("VERL_PLUGIN_IMPORT_FAILED");
    expect(error.message)
      .to.include("broken@3.1.4")
      .and.to.include(project.path("node_modules/broken/register.js"))
      .and.to.include("TypeError: no driver");
    expect(error.cause).to.be.instanceOf(TypeError);
  });

  it("names the place of a syntax error", async () => {
    const project = bench.project().install("broken", { files: { "register.js": "\n\nexport const = 1;" } });
    const error = await bench.failure(project, "broken");
    expect(error.code).to.equal("VERL_PLUGIN_IMPORT_FAILED");
    expect(error.where).to.include("register.js:3");
  });

  it("lists the exports of a module that registers nothing", async () => {
    const project = bench.project().install("wrong", { files: { "register.js": "export const init = 1, setup = 2;" } });
    const error = await bench.failure(project, "wrong");
    expect(error.code).to.equal("VERL_PLUGIN_NO_REGISTER");
    expect(error.why).to.equal("It exports init, setup.");
  });

  it("lists the exports of a CommonJS module that registers nothing", async () => {
    const project = bench.project().install("wrong", {
      packageJson: { type: "commonjs" },
      files: { "register.js": "module.exports = { start() {} };" },
    });
    const error = await bench.failure(project, "wrong");
    expect(error.code).to.equal("VERL_PLUGIN_NO_REGISTER");
    expect(error.why).to.include("start");
  });

  it("asks a single file for definePlugin", async () => {
    const project = bench.project({ "local.js": registers("local") });
    const error = await bench.failure(project, "./local.js");
    expect(error.code).to.equal("VERL_PLUGIN_NO_REGISTER");
    expect(error.fix).to.include("definePlugin");
  });

  it("checks a single file's API version after import and before register", async () => {
    const source = `export default Object.defineProperty({ name: "f", apiVersion: "^9.0.0", provides: [], register() { throw new Error("ran"); } }, Symbol.for("verl.plugin"), { value: true });`;
    const error = await bench.failure(bench.project({ "f.js": source }), "./f.js");
    expect(error.code).to.equal("VERL_PLUGIN_API_VERSION");
  });

  it("wraps what register throws and keeps nothing of it", async () => {
    const project = bench.project().install("half", {
      files: { "register.js": registers("half").replace("}); }", "}); throw new Error('out of luck'); }") },
    });
    const error = await bench.failure(project, "half");
    expect(error.code).to.equal("VERL_PLUGIN_REGISTER_FAILED");
    expect(error.message).to.include("half@1.0.0").and.to.include("out of luck").and.to.include("register.js");

    const host = await bench.host(project, "half", { allowBrokenPlugins: true });
    expect(host.registries.hooks.keys()).to.deep.equal([]);
  });

  it("runs the clean-ups of a plugin that is rolled back, newest first", async () => {
    const notes: string[] = [];
    (globalThis as Record<string, unknown>).verlTestNotes = notes;
    const before =
      "host.onDispose(() => verlTestNotes.push('first')); host.onDispose(() => verlTestNotes.push('second'));";
    const files = { "register.js": `export function register(host) { ${before} throw new Error('no'); }` };
    await bench.failure(bench.project().install("p", { files }), "p");
    delete (globalThis as Record<string, unknown>).verlTestNotes;
    expect(notes).to.deep.equal(["second", "first"]);
  });

  it("gives up on a register that never settles, and aborts its signal", async () => {
    const files = {
      "register.js":
        "export function register(host) { host.signal.addEventListener('abort', () => { process.emit('verl-test-aborted'); }); return new Promise(() => {}); }",
    };
    let aborted = false;
    process.once("verl-test-aborted" as never, () => {
      aborted = true;
    });
    const error = await bench.failure(bench.project().install("slow", { files }), "slow", { deadlineMs: 500 });
    expect(error.code).to.equal("VERL_PLUGIN_TIMEOUT");
    expect(error.what).to.include("slow@1.0.0").and.to.include("register");
    expect(aborted).to.equal(true);
  });

  it("gives up on an import that never settles", async () => {
    const files = { "register.js": `await new Promise(() => {});\n${registers("slow")}` };
    const error = await bench.failure(bench.project().install("slow", { files }), "slow", { deadlineMs: 500 });
    expect(error.code).to.equal("VERL_PLUGIN_TIMEOUT");
    expect(error.why).to.include("top-level await");
  });

  it("refuses a registrar that is used after register has ended", async () => {
    const files = { "register.js": "export function register(host) { globalThis.verlTestHost = host; }" };
    await bench.host(bench.project().install("keeper", { files }), "keeper");
    const kept = (globalThis as Record<string, unknown>).verlTestHost as { hooks: { register(item: object): void } };
    delete (globalThis as Record<string, unknown>).verlTestHost;
    expect(() => kept.hooks.register({ name: "late" }))
      .to.throw("VERL_PLUGIN_LATE")
      .with.property("what")
      .that.includes("keeper@1.0.0");
  });

  it("reports changes of process.env by name, not by value", async () => {
    const files = { "register.js": registers("p", "process.env.VERL_TEST_SECRET = 'hunter2';") };
    const host = await bench.host(bench.project().install("p", { files }), "p");
    delete process.env.VERL_TEST_SECRET;
    expect(host.report.plugins[1].changedEnv).to.deep.equal(["VERL_TEST_SECRET"]);
    expect(bench.log.join()).to.include("p@1.0.0 changed process.env: VERL_TEST_SECRET").and.not.include("hunter2");
  });

  it("refuses to say the current platform during register, and says it afterwards", async () => {
    const files = { "register.js": registers("p", "host.platform();") };
    const error = await bench.failure(bench.project().install("eager", { files }), "eager");
    expect(error.code).to.equal("VERL_PLATFORM_NOT_READY");

    const lazy = { "register.js": registers("p", "globalThis.verlTestPlatform = () => host.platform().vendorName;") };
    const host = await bench.host(bench.project().install("lazy", { files: lazy }), "lazy");
    await host.services();
    const ask = (globalThis as Record<string, unknown>).verlTestPlatform as () => string;
    delete (globalThis as Record<string, unknown>).verlTestPlatform;
    expect(ask()).to.equal("cpu");
  });

  it("refuses a kind that the plugin does not declare", async () => {
    const project = bench.project().install("sly", { verl: { provides: ["tracker"] } });
    const error = await bench.failure(project, "sly");
    expect(error.code).to.equal("VERL_PLUGIN_UNDECLARED");
    expect(error.fix).to.include('"hooks"');
  });

  it("refuses an item that lacks what its kind needs", async () => {
    const files = {
      "register.js": "export function register(host) { host.hooks.register({ name: 'x', onStpeEnd() {} }); }",
    };
    const error = await bench.failure(bench.project().install("p", { files }), "p");
    expect(error.code).to.equal("VERL_PLUGIN_BAD_ITEM");
    expect(error.why).to.include("onStpeEnd");
  });

  it("leaves a plugin of another role alone", async () => {
    const files = { "register.js": "throw new Error('this code ran');" };
    const project = bench.project().install("serving", { verl: { processes: ["rollout"] }, files });
    const host = await bench.host(project, "serving");
    expect(host.report.plugins.find((p) => p.name === "serving")).to.include({ status: "skipped" });
  });

  it("imports a single file to learn its roles, and does not register it in another one", async () => {
    const plugin = `{ name: "serving", apiVersion: "^1.0.0", provides: [], processes: ["rollout"], register() { throw new Error("ran"); } }`;
    const source = `export default Object.defineProperty(${plugin}, Symbol.for("verl.plugin"), { value: true });`;
    const host = await bench.host(bench.project({ "serving.js": source }), "./serving.js");
    expect(host.report.plugins.find((p) => p.name === "serving")).to.include({ status: "skipped" });
  });

  it("with --allow-broken-plugins leaves failures out and reports them, in unknown names too", async () => {
    const project = bench
      .project()
      .install("good")
      .install("bad", { files: { "register.js": "throw new Error('no driver');" } });
    const host = await bench.host(project, "bad,good,absent", { allowBrokenPlugins: true });
    expect(host.report.failures.map((f) => [f.specifier, f.phase])).to.deep.equal([
      ["absent", "resolve"],
      ["bad", "import"],
    ]);
    expect(host.registries.hooks.keys()).to.deep.equal(["good"]);
    expect(() => host.registries.engines.require("language_model/fast/npu"))
      .to.throw("VERL_REGISTRY_UNKNOWN")
      .with.property("fix")
      .that.includes("bad (VERL_PLUGIN_IMPORT_FAILED");
    expect(host.report.failureText()).to.include("no driver");
  });

  it("rolls everything back when one plugin is fatal", async () => {
    const files = { "register.js": registers("a", "host.onDispose(() => { globalThis.verlTestDisposed = true; });") };
    const project = bench
      .project()
      .install("a", { files })
      .install("b", { files: { "register.js": "throw 1;" } });
    await bench.failure(project, "a,b");
    const disposed = (globalThis as Record<string, unknown>).verlTestDisposed;
    delete (globalThis as Record<string, unknown>).verlTestDisposed;
    expect(disposed).to.equal(true);
  });

  it("keeps two hosts of one process apart", async () => {
    const project = bench.project().install("a").install("b");
    const [one, other] = [await bench.host(project, "a"), await bench.host(project, "b")];
    expect(one.registries.hooks.keys()).to.deep.equal(["a"]);
    expect(other.registries.hooks.keys()).to.deep.equal(["b"]);
  });
});
