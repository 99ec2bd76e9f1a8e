import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { Bench } from "../support/hosts.js";
import { registers } from "../support/project.js";

/** What the loaded host holds under `hooks`. */
const hookNames = (host: { registries: { hooks: { keys(): readonly string[] } } }) => host.registries.hooks.keys();

describe("finding plugins", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("loads a bare package from the user's folder", async () => {
    const host = await bench.host(bench.project().install("plain"), "plain");
    expect(hookNames(host)).to.deep.equal(["plain"]);
  });

  it("loads from a parent folder's node_modules", async () => {
    const project = bench.project().install("plain").write({ "sub/folder/keep": "" });
    const host = await bench.host(project, "plain", { cwd: project.path("sub/folder") });
    expect(hookNames(host)).to.deep.equal(["plain"]);
  });

  it("loads a scoped package with a version and a sub-path, under its package's manifest", async () => {
    const project = bench.project().install("@acme/tools", {
      version: "1.2.3",
      packageJson: { exports: { "./gpu": "./lib/gpu.js" } },
      files: { "lib/gpu.js": registers("gpu") },
    });
    const host = await bench.host(project, "@acme/tools@1.2.3/gpu");
    expect(hookNames(host)).to.deep.equal(["gpu"]);
    expect(host.registries.hooks.ownerOf("gpu")).to.deep.equal({ name: "@acme/tools", version: "1.2.3" });
  });

  it("loads a sub-path of a package without an exports map", async () => {
    const project = bench.project().install("loose", { files: { "extra.js": registers("extra") } });
    expect(hookNames(await bench.host(project, "loose/extra.js"))).to.deep.equal(["extra"]);
  });

  it("uses the main export when the manifest names no module, through the exports map", async () => {
    const project = bench.project().install("mapped", {
      verl: { register: undefined },
      packageJson: { exports: { import: "./esm.js", require: "./none.cjs" } },
      files: { "esm.js": registers("from-esm") },
    });
    expect(hookNames(await bench.host(project, "mapped"))).to.deep.equal(["from-esm"]);
  });

  it("loads a CommonJS package", async () => {
    const project = bench.project().install("old", {
      packageJson: { type: "commonjs", main: "main" },
      verl: { register: undefined },
      files: { "main.js": "exports.register = (host) => host.hooks.register({ name: 'cjs', onStepEnd() {} });" },
    });
    expect(hookNames(await bench.host(project, "old"))).to.deep.equal(["cjs"]);
  });

  it("follows a symbolic link, as package managers with a store make them", async () => {
    const project = bench.project().install("linked");
    project.write({ "store/keep": "" });
    fs.renameSync(project.path("node_modules/linked"), project.path("store/linked"));
    fs.symlinkSync(project.path("store/linked"), project.path("node_modules/linked"));
    const host = await bench.host(project, "linked");
    expect(host.report.plugins[1].entry).to.equal(project.path("store/linked/register.js"));
  });

  it("loads one module once, however it is named", async () => {
    const project = bench.project().install("plain");
    const url = pathToFileURL(project.path("node_modules/plain/register.js")).href;
    const host = await bench.host(project, `plain,./node_modules/plain,${url}`);
    expect(host.report.plugins.filter((p) => p.name === "plain")).to.have.length(1);
  });

  it("loads a single file that exports definePlugin's result", async () => {
    const project = bench.project({ "local.js": singleFile("mine", "2.0.0") });
    const host = await bench.host(project, "./local.js");
    expect(host.registries.hooks.ownerOf("mine")).to.deep.equal({ name: "mine", version: "2.0.0" });
  });

  it("loads an absolute path and a file: URL", async () => {
    const project = bench.project({ "a.js": singleFile("a"), "b.js": singleFile("b") });
    const host = await bench.host(project, `${project.path("a.js")},${pathToFileURL(project.path("b.js")).href}`);
    expect(hookNames(host)).to.deep.equal(["a", "b"]);
  });

  it("loads a local TypeScript file", async () => {
    const source = `const brand: unique symbol = Symbol.for("verl.plugin") as never;\n${singleFile("typed").replace("host)", "host: any)")}`;
    const project = bench.project({ "local.ts": source });
    expect(hookNames(await bench.host(project, "./local.ts"))).to.deep.equal(["typed"]);
  });

  it("takes the user's own project as a plugin by its name", async () => {
    const project = bench.project({
      "package.json": {
        name: "self",
        version: "0.1.0",
        type: "module",
        verl: { apiVersion: "^1.0.0", register: "./register.js", provides: ["hooks"] },
      },
      "register.js": registers("self"),
    });
    expect(hookNames(await bench.host(project, "self"))).to.deep.equal(["self"]);
  });
});

describe("plugins that cannot be found", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("names a missing package, where it was sought, and how to install it", async () => {
    const project = bench.project();
    const error = await bench.failure(project, "@acme/absent@^2.0.0/sub");
    expect(error.code).to.equal("VERL_PLUGIN_NOT_FOUND");
    expect(error.message).to.include(project.dir).and.to.include('npm install @acme/absent@"^2.0.0"');
  });

  it("tells a missing dependency of a plugin apart from a missing plugin", async () => {
    const project = bench.project().install("needy", { files: { "register.js": 'import "left-out";' } });
    const error = await bench.failure(project, "needy");
    expect(error.code).to.equal("VERL_PLUGIN_DEPENDENCY_MISSING");
    expect(error.message).to.include("needy@1.0.0").and.to.include("npm install left-out");
  });

  it("tells a missing dependency of a CommonJS plugin, and one that register imports", async () => {
    const project = bench
      .project()
      .install("old", { packageJson: { type: "commonjs" }, files: { "register.js": "require('gone')" } })
      .install("lazy", { files: { "register.js": "export const register = () => import('gone');" } });
    expect((await bench.failure(project, "old")).code).to.equal("VERL_PLUGIN_DEPENDENCY_MISSING");
    expect((await bench.failure(project, "lazy")).code).to.equal("VERL_PLUGIN_DEPENDENCY_MISSING");
  });

  it("lists the exported sub-paths when another one is asked for", async () => {
    const project = bench
      .project()
      .install("mapped", { packageJson: { exports: { ".": "./a.js", "./gpu": "./b.js" } } });
    const error = await bench.failure(project, "mapped/cpu");
    expect(error.code).to.equal("VERL_PLUGIN_NOT_EXPORTED");
    expect(error.why).to.include("./gpu");
  });

  it("says that a plugin is not built when its module is absent", async () => {
    const project = bench.project().install("unbuilt", { verl: { register: "./dist/register.js" } });
    const error = await bench.failure(project, "unbuilt");
    expect(error.code).to.equal("VERL_PLUGIN_NOT_BUILT");
    expect(error.where).to.equal(project.path("node_modules/unbuilt/dist/register.js"));
  });

  it("says that an exported file is not built", async () => {
    const project = bench.project().install("unbuilt", { packageJson: { exports: { "./x": "./dist/x.js" } } });
    expect((await bench.failure(project, "unbuilt/x")).code).to.equal("VERL_PLUGIN_NOT_BUILT");
  });

  it("shows both versions when another one is installed", async () => {
    const error = await bench.failure(bench.project().install("p", { version: "2.0.0" }), "p@1.2.3");
    expect(error.code).to.equal("VERL_PLUGIN_VERSION");
    expect(error.what).to.include("1.2.3").and.to.include("2.0.0");
  });

  it("proposes the extension of a local file", async () => {
    const error = await bench.failure(bench.project({ "hooks.ts": "" }), "./hooks");
    expect(error.code).to.equal("VERL_PLUGIN_NOT_FOUND");
    expect(error.fix).to.include("./hooks.ts");
  });

  it("refuses TypeScript inside node_modules", async () => {
    const project = bench.project().install("raw", {
      verl: { register: "./register.ts" },
      files: { "register.ts": registers("raw") },
    });
    const error = await bench.failure(project, "raw");
    expect(error.code).to.equal("VERL_PLUGIN_TYPESCRIPT");
    expect(error.fix).to.include("compiled");
  });
});

function singleFile(name: string, version = "1.0.0"): string {
  const plugin = `{ name: "${name}", version: "${version}", apiVersion: "^1.0.0", provides: ["hooks"], register(host) { host.hooks.register({ name: "${name}", onStepEnd() {} }); } }`;
  return `export const plugin = Object.defineProperty(${plugin}, Symbol.for("verl.plugin"), { value: true });\n`;
}
