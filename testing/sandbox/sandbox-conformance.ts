import assert from "node:assert/strict";
import fs from "node:fs";
import {
  isVerlError,
  type Sandbox,
  type SandboxFactory,
  type SandboxOptions,
  type SandboxRequest,
} from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { FAKE_LIMITS } from "./fake-sandbox.js";
import { pythonPrograms, type SandboxPrograms } from "./programs.js";

export interface SandboxUnderTest {
  readonly factory: SandboxFactory;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Default: {@link pythonPrograms}. A sandbox that runs no real code leaves out what it cannot play. */
  readonly programs?: Partial<SandboxPrograms> & Pick<SandboxPrograms, "language">;
}

/**
 * What every sandbox must do where its mechanism is available; elsewhere every case demands that it refuses. It does not
 * try to escape: that depends on the mechanism, and its own tests have to.
 */
export function sandboxConformance({
  factory,
  extra = {},
  programs = pythonPrograms,
}: SandboxUnderTest): ConformanceCase[] {
  const options: SandboxOptions = { limits: FAKE_LIMITS, maxConcurrent: 2, extra, logger: SILENT };
  const { language } = programs;

  async function withSandbox(body: (sandbox: Sandbox) => Promise<void>, over: Partial<SandboxOptions> = {}) {
    const probe = await factory.probe({ extra });
    if (!probe.available) return refuses(factory, options);
    const sandbox = await factory.create({ ...options, ...over });
    try {
      await body(sandbox);
    } finally {
      await sandbox.close();
    }
  }
  const anyProgram = Object.entries(programs).find(([name]) => name !== "language")?.[1] ?? "";
  const withProgram = (
    what: keyof SandboxPrograms,
    name: string,
    body: (sandbox: Sandbox, request: SandboxRequest) => Promise<void>,
    over?: Partial<SandboxOptions>,
  ): ConformanceCase[] => {
    const code = programs[what];
    return code === undefined
      ? []
      : [{ name, run: () => withSandbox((sandbox) => body(sandbox, { language, code }), over) }];
  };

  return [
    {
      name: "names its mechanism, and says which languages it runs or why it cannot be used",
      async run() {
        assert.ok(factory.name.trim() !== "" && factory.mechanism.trim() !== "");
        const probe = await factory.probe({ extra });
        if (probe.available) assert.ok(probe.languages.includes(language), `it runs ${probe.languages}`);
        else assert.ok(probe.reason.trim() !== "", "a reason");
      },
    },
    ...withProgram("echo", "hands over input and arguments, and gives back what is written", async (sandbox, echo) => {
      const result = await sandbox.run({ ...echo, stdin: "6 × 7\n", argv: ["a b", "$HOME"] });
      const { outcome, exitCode, stdout, stderr } = result;
      assert.deepEqual({ outcome, exitCode, stderr }, { outcome: "ok", exitCode: 0, stderr: "err" });
      assert.equal(stdout, "6 × 7\na b $HOME");
    }),
    ...withProgram("fail", "reports an exit code as a result", async (sandbox, fail) => {
      const { outcome, exitCode, signal } = await sandbox.run(fail);
      assert.deepEqual({ outcome, exitCode, signal }, { outcome: "exit", exitCode: 3, signal: null });
    }),
    ...withProgram("files", "hands files in and out, and follows no link", async (sandbox, files) => {
      const collect = ["out.txt", "link.txt", "missing.txt"];
      const result = await sandbox.run({ ...files, files: { "data/in.txt": "content" }, collect });
      assert.deepEqual(Object.keys(result.files), ["out.txt"], result.stderr);
      assert.equal(Buffer.from(result.files["out.txt"]).toString(), "content");
    }),
    ...withProgram("litter", "starts every program in a clean place", async (sandbox, litter) => {
      const first = await sandbox.run(litter);
      assert.equal(first.outcome, "ok", first.stderr);
      assert.equal((await sandbox.run(litter)).stdout, first.stdout);
    }),
    ...withProgram("wait", "ends a program that waits at the limit of wall-clock time", async (sandbox, wait) => {
      const { outcome, exitCode } = await sandbox.run({ ...wait, limits: { wallMs: 100 } });
      assert.deepEqual({ outcome, exitCode }, { outcome: "timeout", exitCode: null });
    }),
    ...withProgram("spin", "ends a program that computes at the limit of processor time", async (sandbox, spin) => {
      assert.equal((await sandbox.run({ ...spin, limits: { cpuMs: 100 } })).outcome, "timeout");
    }),
    ...withProgram("hoard", "ends a program, or refuses it memory, at the limit of memory", async (sandbox, hoard) => {
      const { outcome } = await sandbox.run({ ...hoard, limits: { memoryMiB: 64 } });
      assert.ok(["memory", "exit", "signal"].includes(outcome), outcome);
    }),
    ...withProgram("flood", "ends a program at the limit of output", async (sandbox, flood) => {
      const { outcome, stdout, truncated } = await sandbox.run({ ...flood, limits: { outputBytes: 5000 } });
      assert.deepEqual({ outcome, truncated: truncated.stdout }, { outcome: "output-limit", truncated: true });
      assert.equal(stdout.length, 5000);
    }),
    ...withProgram("wait", "ends a program when the caller aborts, and gives the reason", async (sandbox, wait) => {
      const controller = new AbortController();
      const reason = new Error("stopped by the suite");
      const run = sandbox.run(wait, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 50);
      await assert.rejects(run, reason);
      await assert.rejects(sandbox.run(wait, { signal: controller.signal }), reason);
    }),
    ...withProgram(
      "wait",
      "runs no more programs at a time than it may",
      async (sandbox, wait) => {
        assert.equal(sandbox.maxConcurrent, 1);
        const started = performance.now();
        const results = await Promise.all([1, 2, 3].map(() => sandbox.run({ ...wait, limits: { wallMs: 50 } })));
        const alone = results.reduce((sum, { wallMs }) => sum + wallMs, 0);
        assert.ok(performance.now() - started >= alone, "they ran one after the other");
      },
      { maxConcurrent: 1 },
    ),
    ...withProgram("abandon", "leaves no process behind", async (sandbox, abandon) => {
      const mark = `left-behind-${process.pid}-${Date.now()}`;
      const { stdout, stderr } = await sandbox.run({ ...abandon, argv: [mark] });
      assert.equal(stdout, "done\n", stderr);
      assert.deepEqual(
        commandLines().filter((line) => line.includes(mark)),
        [],
      );
    }),
    ...withProgram("wait", "ends what is running when it is closed, and runs nothing after", async (sandbox, wait) => {
      const closed = (error: unknown) => isVerlError(error) && error.code === "VERL_SANDBOX_CLOSED";
      const run = assert.rejects(sandbox.run(wait), closed);
      await sandbox.close();
      await run;
      await assert.rejects(sandbox.run(wait), closed);
    }),
    {
      name: "refuses a language that it does not run",
      run: () =>
        withSandbox((sandbox) =>
          assert.rejects(
            sandbox.run({ language: "no such language", code: "" }),
            (error: unknown) => isVerlError(error) && error.code === "VERL_SANDBOX_LANGUAGE",
          ),
        ),
    },
    {
      name: "refuses files outside of the program's folder, and limits that are none",
      run: () =>
        withSandbox(async (sandbox) => {
          const bad: Partial<SandboxRequest>[] = [
            ...["../x", "/etc/x", "a/../../x", "", "a//b", "."].map((path) => ({ files: { [path]: "" } })),
            { collect: ["../../etc/passwd"] },
            { limits: { wallMs: Number.NaN } },
            { limits: { processes: 0 } },
          ];
          for (const request of bad) {
            await assert.rejects(
              sandbox.run({ language, code: anyProgram, ...request }),
              (error: unknown) => isVerlError(error) && error.code === "VERL_SANDBOX_BAD_REQUEST",
              JSON.stringify(request),
            );
          }
        }),
    },
  ];
}

async function refuses(factory: SandboxFactory, options: SandboxOptions): Promise<void> {
  await assert.rejects(
    async () => factory.create(options),
    (error: unknown) => isVerlError(error) && error.code === "VERL_SANDBOX_UNAVAILABLE",
  );
}

/** Of every process of this machine; empty where there is no /proc. */
function commandLines(): string[] {
  if (!fs.existsSync("/proc/self/cmdline")) return [];
  return fs.readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [fs.readFileSync(`/proc/${name}/cmdline`, "utf8")] : [];
    } catch {
      // It ended in between.
      return [];
    }
  });
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
