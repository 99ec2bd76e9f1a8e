import { expect } from "chai";
import { LOCK_FILE, readLock, writeLock } from "../../../../core/host/index.js";
import { Bench, thrown } from "../support/hosts.js";
import { type Project, registers } from "../support/project.js";

describe("plugin lock", () => {
  const bench = new Bench();
  let project: Project;
  beforeEach(async () => {
    project = bench.project().install("p", { packageJson: { files: ["dist"] }, files: { "dist/heavy.js": "1" } });
    const host = await bench.host(project, "p");
    writeLock(project.path(LOCK_FILE), host.lock);
  });
  afterEach(() => bench.clean());

  const frozen = { frozenPlugins: true };

  it("records name, version and hash in load order", () => {
    const [entry] = readLock(project.path(LOCK_FILE)).plugins;
    expect(entry).to.include({ name: "p", version: "1.0.0", specifier: "p", processes: "all" });
    expect(entry.hash).to.match(/^sha256-[0-9a-f]{64}$/);
  });

  it("is met by the same plugins, however the version is written and wherever they lie", async () => {
    const elsewhere = bench
      .project()
      .install("p", { packageJson: { files: ["dist"] }, files: { "dist/heavy.js": "1" } });
    const host = await bench.host(elsewhere, "p@1.0.0", { frozenPlugins: project.path(LOCK_FILE) });
    expect(host.lock.plugins[0].hash).to.equal(readLock(project.path(LOCK_FILE)).plugins[0].hash);
  });

  const changes: [what: string, change: (p: Project) => void, says: string][] = [
    [
      "the entry",
      (p) =>
        p.install("p", { packageJson: { files: ["dist"] }, files: { "register.js": "throw 1", "dist/heavy.js": "1" } }),
      "other code",
    ],
    ["a file that package.json lists", (p) => p.write({ "node_modules/p/dist/heavy.js": "2" }), "other code"],
    [
      "the version",
      (p) => p.install("p", { version: "1.0.1" }),
      "the recorded lock has 1.0.0, this installation has 1.0.1",
    ],
  ];
  for (const [what, change, says] of changes) {
    it(`refuses a change of ${what} before any code runs`, async () => {
      change(project);
      const error = await bench.failure(project, "p", frozen);
      expect(error.code).to.equal("VERL_PLUGIN_LOCK_MISMATCH");
      expect(error.why).to.include(says);
    });
  }

  it("refuses a plugin more and a plugin less", async () => {
    project.install("q", { files: { "register.js": registers("q") } });
    expect((await bench.failure(project, "p,q", frozen)).why).to.include("q: the recorded lock has none");
    expect((await bench.failure(project, "", frozen)).why).to.include("this installation has none");
  });

  it("says how to record one when there is none or it cannot be read", () => {
    expect(thrown(() => readLock(project.path("absent.json"))).fix).to.include("--write-lock");
    project.write({ "bad.json": "{}" });
    expect(thrown(() => readLock(project.path("bad.json"))).code).to.equal("VERL_PLUGIN_BAD_LOCK");
  });

  it("leaves out what did not load", async () => {
    project.install("bad", { files: { "register.js": "throw 1;" } });
    const host = await bench.host(project, "p,bad", { allowBrokenPlugins: true });
    expect(host.lock.plugins.map((p) => p.name)).to.deep.equal(["p"]);
  });
});
