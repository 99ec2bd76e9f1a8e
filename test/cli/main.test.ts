import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";

const main = path.resolve("dist/cli/main.js");
const run = promisify(execFile);

describe("cli/main", () => {
  it("goes on quietly when nobody reads its output any more", async () => {
    const child = spawn(process.execPath, [main, "config", "print"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [[code], errors] = await Promise.all([once(child, "close"), child.stderr.toArray()]);
    expect(String(Buffer.concat(errors))).to.equal("");
    expect(code).to.equal(0);
  });

  it("says once that what it prints cannot be written, and is then no success", async () => {
    const command = `"${process.execPath}" "${main}" explain VERL_CLI_USAGE > /dev/full`;
    const failure = await run("sh", ["-c", command]).then(
      () => null,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failure?.code).to.equal(1);
    expect(failure?.stderr)
      .to.match(/^error VERL_CLI_OUTPUT\n/)
      .and.include("standard output")
      .and.include("ENOSPC");
    expect(failure?.stderr).not.to.match(/^\s+at /m);
  });

  it("hands its exit code to the shell and writes cards to standard error, without colours into a pipe", async () => {
    const failure = await run(process.execPath, [main, "trian"]).then(
      () => null,
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect(failure).to.include({ code: 2, stdout: "" });
    expect(failure?.stderr).to.match(/^error VERL_CLI_USAGE\n/);
  });

  describe("a file of the user's that ends the process", () => {
    let folder: string;
    beforeEach(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-exit-"));
    });
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    const tree = (code: string, ...flags: string[]) => {
      fs.writeFileSync(path.join(folder, "plugin.mjs"), code);
      const env = { ...process.env, VERL_USE_EXTERNAL_MODULES: "./plugin.mjs" };
      return run(process.execPath, [main, "plugins", "tree", ...flags], { cwd: folder, env }).then(
        () => ({ code: 0, stdout: "", stderr: "" }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
    };

    it("is a failure, whatever code it hands over, and is named", async () => {
      const { code, stderr } = await tree("process.exit(0)");
      expect(code).to.equal(1);
      expect(stderr).to.include("VERL_CLI_EXITED").and.include("process.exit(0)").and.include("plugin.mjs:1");
    });

    it("is told in JSON as well", async () => {
      const { code, stdout } = await tree("process.exit(3)", "--json");
      expect(code).to.equal(1);
      expect(JSON.parse(stdout)).to.deep.include({ exitCode: 1 });
    });
  });

  it("says so when a command waits for something that nobody will bring", async () => {
    const guard = pathToFileURL(path.resolve("dist/cli/runs/exit-guard.js")).href;
    const io = pathToFileURL(path.resolve("dist/cli/program/io.js")).href;
    const code = `const { guardExit } = await import("${guard}"); const { processIo } = await import("${io}");
      guardExit(processIo(), false); await new Promise(() => {});`;
    const failure = await run(process.execPath, ["--input-type=module", "--eval", code]).then(
      () => null,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failure?.code).to.equal(1);
    expect(failure?.stderr).to.include("VERL_CLI_STALLED");
  });
});
