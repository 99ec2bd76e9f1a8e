import { expect } from "chai";
import { WATCHDOG_EXIT_CODE } from "../../../../core/host/index.js";
import { Bench } from "../support/hosts.js";
import { registers } from "../support/project.js";
import { type HostEnd, runHost } from "../support/run-host.js";

describe("a plugin that blocks its process", function () {
  this.timeout(60_000);
  const bench = new Bench();
  after(() => bench.clean());

  const modules = {
    "on import": "\nexport function spin() { for (let i = 0; ; i++); }\nspin();",
    "in register": registers("blocks", "await 1; while (true);"),
    "in native code": `import { spawnSync } from "node:child_process";\nspawnSync(process.execPath, ["-e", "setTimeout(() => {}, 20000)"]);`,
  };
  const ends = new Map<string, HostEnd>();
  before(async () => {
    const runs = Object.entries(modules).map(async ([where, source]) => {
      const project = bench.project().install("blocks", { files: { "register.js": source } });
      ends.set(where, await runHost(project, "blocks", { TEST_DEADLINE_MS: "1500" }));
    });
    await Promise.all(runs);
  });

  it("on import is named with the line, and the process ends with a status of its own", () => {
    const { status, stderr } = ends.get("on import")!;
    expect(status).to.equal(WATCHDOG_EXIT_CODE);
    expect(stderr).to.include("VERL_PLUGIN_TIMEOUT: the plugin blocks@1.0.0");
    expect(stderr).to.match(/where: spin \(file:.*blocks\/register\.js:2:/);
  });

  it("in register is named as well", () => {
    const { status, stderr } = ends.get("in register")!;
    expect(status).to.equal(WATCHDOG_EXIT_CODE);
    expect(stderr).to.include("blocks@1.0.0");
  });

  it("in native code is named, and the process is killed", () => {
    const { signal, stderr } = ends.get("in native code")!;
    expect(signal).to.equal("SIGKILL");
    expect(stderr).to.include("blocks@1.0.0").and.to.include("native code");
  });
});

describe("the process of a plugin host", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("T35: ends with package name, file and cause when a plugin throws on import", async () => {
    const files = { "register.js": "throw new Error('no driver');" };
    const project = bench.project().install("broken", { version: "3.1.4", files });
    const { status, stderr } = await runHost(project, "broken");
    expect(status).to.equal(1);
    expect(stderr).to.include("VERL_PLUGIN_IMPORT_FAILED").and.to.include("broken@3.1.4").and.to.include("no driver");
    expect(stderr).to.include(project.path("node_modules/broken/register.js"));
  });

  it("does not start when a plugin leaves a rejection unhandled while it loads", async () => {
    const code = "Promise.reject(new Error('forgotten'));";
    const project = bench.project().install("sloppy", { files: { "register.js": registers("sloppy", code) } });
    const { status, stderr } = await runHost(project, "sloppy");
    expect(status).to.equal(1);
    expect(stderr).to.include("VERL_PLUGIN_UNHANDLED").and.to.include("sloppy@1.0.0").and.to.include("forgotten");
  });
});

describe("errors that plugins leave unhandled after they were loaded", () => {
  const bench = new Bench();
  after(() => bench.clean());

  const later = {
    "a-promise": "setTimeout(() => { Promise.reject(new Error('forgotten by a-promise')); }, 200);",
    "a-timer": "setTimeout(() => { throw new Error('forgotten by a-timer'); }, 200);",
    "a-function":
      "(async () => { await new Promise((r) => setTimeout(r, 200)); throw new Error('forgotten by a-function'); })();",
  };
  let end: HostEnd;
  before(async () => {
    const project = bench.project().install("tidy");
    for (const [name, code] of Object.entries(later)) {
      project.install(name, { files: { "register.js": registers(name, code) } });
    }
    const modules = ["tidy", ...Object.keys(later)].join(",");
    end = await runHost(project, modules, { TEST_LINGER_MS: "600" });
  });

  for (const name of Object.keys(later)) {
    it(`are blamed on the right plugin: ${name}`, () => {
      expect(end.status).to.equal(3);
      expect(end.stderr).to.match(new RegExp(`VERL_PLUGIN_UNHANDLED.*${name}@1\\.0\\.0.*forgotten by ${name}`));
    });
  }

  it("leave the others alone", () => {
    expect(end.stderr).not.to.include("tidy");
  });
});
