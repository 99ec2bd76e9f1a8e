import { expect } from "chai";
import { installedPlugins, requestedPlugins } from "../../../../core/host/index.js";
import { Bench, rejection } from "../support/hosts.js";
import type { Project } from "../support/project.js";

describe("discovery among direct dependencies", () => {
  const bench = new Bench();
  let project: Project;
  beforeEach(() => {
    project = bench.project({
      "package.json": { name: "user", dependencies: { zeta: "1", "@acme/Alpha": "1", lodash: "4", gone: "1" } },
    });
    project.install("zeta").install("@acme/Alpha").install("transitive").install("lodash", { verl: null });
  });
  afterEach(() => bench.clean());

  const asked = (env: Record<string, string>, configured: string[] = []) =>
    requestedPlugins(env, configured, installedPlugins(project.dir)).map((r) => r.specifier);

  it("lists those with a manifest, sorted by name", () => {
    expect(installedPlugins(project.dir).map((p) => p.name)).to.deep.equal(["@acme/Alpha", "zeta"]);
  });

  it("loads none of them unless asked", () => {
    expect(asked({})).to.deep.equal([]);
    expect(asked({ VERL_USE_EXTERNAL_PLUGINS: " none " })).to.deep.equal([]);
  });

  it("loads all of them under auto", () => {
    expect(asked({ VERL_USE_EXTERNAL_PLUGINS: " auto " })).to.deep.equal(["@acme/Alpha", "zeta"]);
  });

  it("loads those that are named, trimmed and case-exact", async () => {
    expect(asked({ VERL_USE_EXTERNAL_PLUGINS: " @acme/Alpha , " })).to.deep.equal(["@acme/Alpha"]);
    const env = { VERL_USE_EXTERNAL_PLUGINS: "@acme/alpha,zeta" };
    const error = await rejection(bench.host(project, "", { env }));
    expect(error.code).to.equal("VERL_PLUGIN_UNKNOWN");
    expect(error.what).to.include('Did you mean "@acme/Alpha"?');
  });

  it("reports wrong names under --allow-broken-plugins and loads the others", async () => {
    const env = { VERL_USE_EXTERNAL_PLUGINS: "@acme/alpha,zeta" };
    const host = await bench.host(project, "", { env, allowBrokenPlugins: true });
    expect(host.report.failures.map(({ specifier, phase, error }) => [specifier, phase, error?.code])).to.deep.equal([
      ["@acme/alpha", "resolve", "VERL_PLUGIN_UNKNOWN"],
    ]);
    expect(host.lock.plugins.map(({ name }) => name)).to.deep.equal(["zeta"]);
  });

  it("comes after the environment's list and the configuration's, without repeats", () => {
    const env = { VERL_USE_EXTERNAL_MODULES: "zeta,./x.js", VERL_USE_EXTERNAL_PLUGINS: "auto" };
    expect(asked(env, [" conf ", "zeta"])).to.deep.equal(["zeta", "./x.js", "conf", "@acme/Alpha"]);
  });

  it("makes a failing plugin fatal too", async () => {
    project.install("zeta", { files: { "register.js": "throw new Error('no');" } });
    const error = await bench.failure(project, "", { env: { VERL_USE_EXTERNAL_PLUGINS: "auto" } });
    expect(error.code).to.equal("VERL_PLUGIN_IMPORT_FAILED");
  });
});
