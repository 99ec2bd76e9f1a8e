import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Program } from "../../../core/plugin.js";
import { namespacesSandbox } from "../../../plugins/sandbox/index.js";
import { execute } from "../../../plugins/sandbox/namespaces/execute.js";
import { inspect } from "../../../plugins/sandbox/namespaces/namespaces-sandbox.js";
import { FAKE_LIMITS, pythonPrograms, runConformance, sandboxConformance } from "../../../testing/index.js";
import { describeSandbox, OPTIONS } from "./support.js";

runConformance("the sandbox namespaces", sandboxConformance({ factory: namespacesSandbox }), { describe, it });

const SANDBOX = pathToFileURL(path.resolve(import.meta.dirname, "../../../plugins/sandbox/index.js")).href;

describeSandbox("plugins/sandbox/namespaces from start to end", ({ sandbox }) => {
  let folder: string;
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-sandbox-"));
  });
  after(() => fs.rmSync(folder, { recursive: true }));

  it("leaves nothing when the process that uses it is killed", async () => {
    const mark = `outlived-${process.pid}-${Date.now()}`;
    const request = {
      language: "python",
      code: `${pythonPrograms.abandon}\nimport time; time.sleep(60)`,
      argv: [mark],
    };
    const script = `
      import { namespacesSandbox } from ${JSON.stringify(SANDBOX)};
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const sandbox = await namespacesSandbox.create({ limits: ${JSON.stringify({ ...FAKE_LIMITS, wallMs: 120_000 })}, maxConcurrent: 1, extra: {}, logger });
      await sandbox.run(${JSON.stringify(request)});
    `;
    const user = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    while (processesWith(mark) < 2) await sleep(10);
    user.kill("SIGKILL");
    while (processesWith(mark) > 0) await sleep(10);
  });

  it("works for an ordinary user", async () => {
    const user = process.geteuid?.() === 0 ? { uid: 12_345, gid: 12_345 } : undefined;
    const machine = await inspect({}, user);
    if ("reason" in machine) return expect(machine.reason).to.match(/namespaces/);
    const program: Program = {
      language: "bash",
      code: "id -u; cat /proc/self/uid_map",
      files: new Map(),
      argv: [],
      stdin: Buffer.alloc(0),
      limits: FAKE_LIMITS,
      collect: [],
    };
    const { stdout, stderr } = await execute(program, machine, new AbortController().signal);
    const mapped = user?.uid ?? process.geteuid?.();
    expect(stdout.trim().split(/\s+/), stderr).to.deep.equal(["65534", "65534", String(mapped), "1"]);
  });

  it("runs an interpreter that lies where programs see nothing, and shows folders that are named", async () => {
    const bash = path.join(folder, "private-bash");
    fs.copyFileSync("/bin/bash", bash);
    fs.chmodSync(folder, 0o700);
    const data = fs.mkdtempSync("/var/tmp/verl-shown-");
    fs.chmodSync(data, 0o755);
    fs.writeFileSync(path.join(data, "table.txt"), "shown");
    fs.chmodSync(path.join(data, "table.txt"), 0o644);
    const own = await namespacesSandbox.create({ ...OPTIONS, extra: { interpreters: { bash }, show: [data] } });
    try {
      const code = `echo "$0 $1"; cat ${data}/table.txt; touch ${data}/x 2>/dev/null || echo " read-only"; ls ${folder} 2>&1`;
      const { stdout } = await own.run({ language: "bash", code, argv: ["argument"] });
      expect(stdout).to.match(/^main.sh argument\nshown read-only\nls: cannot access/);
    } finally {
      await own.close();
      fs.rmSync(data, { recursive: true });
    }
  });

  it("runs an interpreter through a link that programs do not see", async () => {
    const link = path.join(folder, "linked-bash");
    fs.symlinkSync("/bin/bash", link);
    const own = await namespacesSandbox.create({ ...OPTIONS, extra: { interpreters: { bash: link } } });
    expect((await own.run({ language: "bash", code: "echo here" })).stdout).to.equal("here\n");
    await own.close();
  });

  it("has no language whose interpreter is missing", async () => {
    const own = await namespacesSandbox.create({ ...OPTIONS, extra: { interpreters: { python: "/nowhere/python" } } });
    expect(own.languages).to.include("bash").and.not.include("python");
    await own.close();
  });

  const refusalOf = (extra: Record<string, unknown>) =>
    Promise.resolve(namespacesSandbox.create({ ...OPTIONS, extra })).catch((error: Error) => error);

  it("refuses options that it does not know", async () => {
    const error = await refusalOf({ network: true });
    expect(error).to.have.property("code", "VERL_SANDBOX_BAD_OPTION");
    expect(error).to.have.property("message").that.contains("network").and.contains("interpreters, show");
  });

  it("refuses to show folders where those of the program lie", async () => {
    for (const place of ["/", "/tmp/data", "/sandbox", "/proc", "/dev/shm", "data"]) {
      expect(await refusalOf({ show: [place] }), place).to.have.property("code", "VERL_SANDBOX_BAD_OPTION");
    }
  });

  it("takes a file that is larger than what the program may write", async () => {
    const { stdout, stderr } = await sandbox().run({
      language: "bash",
      code: "wc -c < big; wc -c; head -c 500000 /dev/zero > more && ls -s more | cut -d' ' -f1",
      files: { big: "x".repeat(5_000_000) },
      stdin: "y".repeat(5_000_000),
      limits: { filesMiB: 1 },
    });
    expect(stdout.split("\n").slice(0, 2), stderr).to.deep.equal(["5000000", "5000000"]);
    expect(stderr).to.equal("");
  });

  if (spawnSync("unshare", ["-Ur", "true"]).status === 0) {
    it("says why it cannot be used where user namespaces are switched off", () => {
      const script = `
        import { namespacesSandbox } from ${JSON.stringify(SANDBOX)};
        const logger = { debug() {}, info() {}, warn() {}, error() {} };
        const answer = await namespacesSandbox.probe();
        const refusal = await namespacesSandbox.create({ extra: {}, logger }).catch((error) => error.code);
        console.log(JSON.stringify({ ...answer, refusal }));
      `;
      const shell = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" --input-type=module -e "$1"';
      const { stdout, stderr } = spawnSync("unshare", ["-Ur", "sh", "-c", shell, process.execPath, script]);
      const { available, reason, fix, refusal } = JSON.parse(String(stdout) || String(stderr));
      expect({ available, refusal }).to.deep.equal({ available: false, refusal: "VERL_SANDBOX_UNAVAILABLE" });
      expect(reason).to.contain("user.max_user_namespaces = 0");
      expect(fix).to.equal("sudo sysctl -w user.max_user_namespaces=10000");
    });
  }
});

/** How many processes of this machine have a mark in their command line, the one that was asked to run them aside. */
function processesWith(mark: string): number {
  return fs.readdirSync("/proc").filter((name) => {
    try {
      const line = fs.readFileSync(`/proc/${name}/cmdline`, "utf8");
      return line.includes(mark) && !line.includes("namespacesSandbox");
    } catch {
      // No process, or one that ended in between.
      return false;
    }
  }).length;
}
