import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Sandbox } from "../../../core/plugin.js";
import { codeInterpreter } from "../../../plugins/tools/index.js";
import { createFakeSandbox, runConformance, toolConformance } from "../../../testing/index.js";
import { describeSandbox } from "../sandbox/support.js";
import { errorOf, OpenedTools } from "./support.js";

const open = (sandbox: Sandbox, config = {}, more = {}) =>
  OpenedTools.of(codeInterpreter, { sandbox: async () => sandbox, config, ...more });

describe("plugins/tools/code_interpreter", () => {
  runConformance(
    "as a tool",
    toolConformance({ factory: codeInterpreter, calls: [{ tool: "code_interpreter", args: { code: "1" } }] }),
    { describe, it },
  );

  it("tells how a program ended, and what it wrote", async () => {
    const ends = [
      [{ stdout: "6\n" }, "exit code 0\nstdout:\n6"],
      [{ outcome: "exit", exitCode: 3, stderr: "Traceback\n" }, "exit code 3\nstderr:\nTraceback"],
      [{ outcome: "signal", exitCode: null, signal: "SIGSEGV" }, "ended by SIGSEGV"],
      [{ outcome: "timeout", exitCode: null }, "stopped: the program took too long (limit 2 s)"],
      [{ outcome: "memory", exitCode: null }, "stopped: the program used too much memory (limit 64 MiB)"],
      [
        { outcome: "output-limit", exitCode: null, stdout: "aaa", truncated: { stdout: true, stderr: false } },
        "stopped: the program printed too much\nstdout (cut off):\naaa",
      ],
    ] as const;
    for (const [result, text] of ends) {
      await using tools = await open(createFakeSandbox({ run: () => result }), { timeout: 2, memory_limit_mb: 64 });
      const record = await tools.call("code_interpreter", { code: "x" });
      expect([record.outcome, record.message.content]).to.deep.equal(["ok", text]);
      const outcome = "outcome" in result ? result.outcome.replaceAll("-", "_") : "ok";
      expect(record.metrics).to.deep.equal({ [outcome]: 1 });
    }
  });

  it("runs a program under the limits of its entry", async () => {
    const sandbox = createFakeSandbox();
    const limits = { timeout: 2, memory_limit_mb: 64, processes: 5, files_limit_mb: 3, output_limit_kb: 1 };
    await using tools = await open(sandbox, limits);
    await tools.call("code_interpreter", { code: "x" });
    expect(sandbox.programs[0].limits).to.deep.equal({
      ...{ wallMs: 2000, cpuMs: 2000, memoryMiB: 64, processes: 5, filesMiB: 3, outputBytes: 1024 },
    });
  });

  it("offers a choice of languages where there are several", async () => {
    const sandbox = createFakeSandbox({ languages: ["python", "bash"] });
    await using tools = await open(sandbox, { languages: ["python", "bash"] });
    await tools.call("code_interpreter", { code: "x", language: "bash" });
    expect(sandbox.programs[0].language).to.equal("bash");
    expect((await tools.call("code_interpreter", { code: "x", language: "perl" })).outcome).to.equal("bad_arguments");
    expect((await tools.call("code_interpreter", { code: "x" })).outcome).to.equal("bad_arguments");
  });

  it("runs no language but those of its entry, whatever the schema lets through", async () => {
    const sandbox = createFakeSandbox({ languages: ["python", "bash"] });
    const parameters = { type: "object", properties: { code: {}, language: {} } };
    const schema = { type: "function", function: { name: "code_interpreter", parameters } } as const;
    for (const more of [{}, { schema }]) {
      await using tools = await open(sandbox, { languages: ["python"] }, more);
      for (const language of ["bash", "Python", 1, null, ["python"]]) {
        const { outcome, message } = await tools.call("code_interpreter", { code: "x", language });
        expect([outcome, message.content]).to.deep.equal([
          "bad_arguments",
          `Error: the arguments of "code_interpreter" do not fit: language must be ${typeof language === "string" ? 'one of ["python"]' : "a text"}`,
        ]);
      }
    }
    expect(sandbox.programs).to.deep.equal([]);
    await using tools = await open(sandbox, {}, { schema });
    expect((await tools.call("code_interpreter", { code: 5 })).outcome).to.equal("bad_arguments");
    expect((await tools.call("code_interpreter", {})).outcome).to.equal("bad_arguments");
    expect((await tools.call("code_interpreter", { code: "x", language: "python" })).outcome).to.equal("ok");
  });

  it("refuses a schema that offers languages beyond those of its entry", async () => {
    const properties = { code: { type: "string" }, language: { enum: ["python", "bash"] } };
    const schema = { type: "function", function: { name: "run", parameters: { properties } } } as const;
    const error = await errorOf(open(createFakeSandbox({ languages: ["python", "bash"] }), {}, { schema }));
    expect([error.code, error.message.includes("bash")]).to.deep.equal(["VERL_TOOL_BAD_OPTION", true]);
  });

  it("takes the name and the parameters of the entry's schema", async () => {
    const parameters = { type: "object", properties: { code: { type: "string" } }, required: ["code"] };
    const schema = { type: "function", function: { name: "run", description: "Runs.", parameters } } as const;
    await using tools = await open(createFakeSandbox(), {}, { schema });
    expect(tools.names).to.deep.equal(["run"]);
    const other = { type: "function", function: { name: "run", parameters: { properties: { program: {} } } } } as const;
    expect((await errorOf(open(createFakeSandbox(), {}, { schema: other }))).code).to.equal("VERL_TOOL_BAD_OPTION");
  });

  it("refuses options that it does not know, languages that the sandbox lacks, and to be without a sandbox", async () => {
    const sandbox = createFakeSandbox();
    expect((await errorOf(open(sandbox, { langauges: ["python"] }))).message).to.contain("langauges");
    expect((await errorOf(open(sandbox, { timeout: 0 }))).code).to.equal("VERL_TOOL_BAD_OPTION");
    expect((await errorOf(open(sandbox, {}, { sections: { mcp: {} } }))).message).to.contain("mcp");
    const where = { where: "tools.yaml, entry 1" };
    const missing = await errorOf(open(sandbox, { languages: ["cobol"] }, where));
    expect([missing.code, missing.message.includes(where.where)]).to.deep.equal(["VERL_SANDBOX_LANGUAGE", true]);
  });

  it("lets a call begin when the sandbox has a place for it", async () => {
    await using tools = await open(createFakeSandbox({ maxConcurrent: 1 }));
    const { signal } = new AbortController();
    const tool = tools.tool("code_interpreter");
    const begun: string[] = [];
    const admit = async (name: string) => {
      const leave = await tool.admit?.(signal);
      begun.push(name);
      return leave ?? expect.fail("no place to leave");
    };
    const leave = await admit("first");
    const second = admit("second");
    await new Promise(setImmediate);
    expect(begun).to.deep.equal(["first"]);
    leave();
    (await second)();
    expect(begun).to.deep.equal(["first", "second"]);
  });
});

describeSandbox("plugins/tools/code_interpreter in the sandbox", ({ sandbox }) => {
  const run = async (code: string, config = {}) => {
    await using tools = await open(sandbox(), config);
    return tools.text("code_interpreter", { code });
  };

  /** Tries an expression with each place, and prints what it was refused with. */
  const attempts = (places: readonly string[], expression: string) => `
for place in ${JSON.stringify(places)}:
    try:
        ${expression}
        print("done")
    except OSError:
        print("refused")`;
  const refused = (places: readonly string[]) => places.map(() => "refused").join("\n");

  it("computes", async () => {
    expect(await run("print(6 * 7)")).to.equal("exit code 0\nstdout:\n42");
    expect(await run("echo $((6 * 7))", { languages: ["bash"] })).to.equal("exit code 0\nstdout:\n42");
    expect(await run("console.log(6 * 7)", { languages: ["javascript"] })).to.equal("exit code 0\nstdout:\n42");
    expect(await run("1 / 0")).to.match(/^exit code 1\nstderr:[\s\S]*ZeroDivisionError/);
  });

  it("keeps the files that it is told to from call to call of a trajectory, and from no other", async () => {
    await using tools = await open(sandbox(), { keep_files: ["notes.txt"] });
    const append = { code: "open('notes.txt', 'a').write('x'); print(open('notes.txt').read())" };
    const texts = [];
    for (const trajectory of ["a_0", "a_0", "b_0"])
      texts.push(await tools.text("code_interpreter", append, trajectory));
    expect(texts.map((text) => text.split("\n").at(-1))).to.deep.equal(["x", "xx", "x"]);
    expect(
      await tools.text("code_interpreter", { code: "open('other', 'w'); import os; print(os.listdir('.'))" }, "c_0"),
    )
      .to.contain("other")
      .and.not.contain("notes");
  });

  it("a program reads no file of the host", async () => {
    const secret = path.join(os.tmpdir(), `verl-tool-secret-${process.pid}`);
    fs.writeFileSync(secret, "the secret", { mode: 0o644 });
    try {
      const files = [secret, path.join(os.homedir(), ".bashrc"), "/etc/shadow", "/proc/1/environ"];
      expect(await run(attempts(files, "open(place).read()"))).to.equal(`exit code 0\nstdout:\n${refused(files)}`);
    } finally {
      fs.rmSync(secret);
    }
  });

  it("a program sees nothing of the run's environment", async () => {
    expect(await run("import os; print(sorted(os.environ))")).to.equal(
      "exit code 0\nstdout:\n['HOME', 'LANG', 'PATH', 'PYTHONHASHSEED', 'TMPDIR']",
    );
  });

  it("a program reaches no network, not even this machine's", async () => {
    let asked = 0;
    const server = http.createServer((_, response) => {
      asked++;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const text = await run(`import urllib.request; urllib.request.urlopen("http://127.0.0.1:${port}", timeout=2)`);
      expect([text.split("\n")[0], asked]).to.deep.equal(["exit code 1", 0]);
    } finally {
      server.close();
    }
  });

  it("a program that forks without end is held at the limit, and its end leaves nothing", async () => {
    const text = await run("while true; do (sleep 100 & sleep 100) & done", {
      ...{ languages: ["bash"], timeout: 1, processes: 8 },
    });
    expect(text).to.match(/^(stopped: the program took too long|exit code)/);
    expect(
      await run("ps -e 2>/dev/null | grep -c sleep; ls /proc | grep -c '^[0-9]'", { languages: ["bash"] }),
    ).to.match(/stdout:\n0\n[1-6]$/);
  });

  it("a program that takes all memory is ended", async () => {
    const text = await run("parts = []\nwhile True: parts.append(bytearray(8 << 20))", { memory_limit_mb: 64 });
    expect(text).to.match(
      /^(stopped: the program used too much memory \(limit 64 MiB\)|exit code 1\nstderr:[\s\S]*MemoryError)/,
    );
  });

  it("a program writes nowhere but into its own folder", async () => {
    const places = ["/usr/x", "/etc/x", "/x", `${os.homedir()}/x`, `${process.cwd()}/x`];
    expect(await run(attempts(places, "open(place, 'w').write('x')"))).to.equal(
      `exit code 0\nstdout:\n${refused(places)}`,
    );
    expect(places.filter((place) => fs.existsSync(place))).to.deep.equal([]);
  });

  it("what a program started does not outlive it", async () => {
    const marker = `verl-survivor-${process.pid}`;
    const code = `import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", "${marker}"], start_new_session=True)
print("started")`;
    expect(await run(code)).to.equal("exit code 0\nstdout:\nstarted");
    const left = fs
      .readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => {
        try {
          return fs.readFileSync(`/proc/${name}/cmdline`, "utf8").includes(marker);
        } catch {
          return false;
        }
      });
    expect(left).to.deep.equal([]);
  });

  it("a program that prints without end is cut off", async () => {
    const text = await run("while True: print('y' * 1000)", { output_limit_kb: 4 });
    expect(text).to.match(/^stopped: the program printed too much\nstdout \(cut off\):\ny+/);
    expect(text.length).to.be.below(5000);
  });

  it("a program that goes on is ended at the call's deadline, too", async () => {
    await using tools = await OpenedTools.of(codeInterpreter, { sandbox: async () => sandbox() }, { deadlineMs: 100 });
    const record = await tools.call("code_interpreter", { code: "while True: pass" });
    expect(record).to.deep.include({ outcome: "timeout", reward: 0 });
    expect(record.message.content).to.contain("did not answer within 0.1 s");
  });
});
