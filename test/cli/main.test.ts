import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const main = path.resolve("dist/cli/main.js");
const run = promisify(execFile);

/** A loader that fails as soon as one of these packages is asked for. */
const refuse = (...packages: string[]): string => {
  const hooks = `export async function resolve(specifier, context, next) {
    if (${JSON.stringify(packages)}.includes(specifier)) throw new Error("must not be loaded: " + specifier);
    return next(specifier, context);
  }`;
  const url = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  return url(`import { register } from "node:module"; register(${JSON.stringify(url(hooks))});`);
};

describe("cli/main", () => {
  it("loads nothing heavy for help and version", async () => {
    const heavy = refuse(
      "zod",
      "yaml",
      "ajv",
      "tsyringe",
      "onnxruntime-node",
      "koffi",
      "hyparquet",
      "@huggingface/hub",
    );
    for (const flag of ["--help", "--version"]) {
      const { stdout } = await run(process.execPath, ["--import", heavy, main, flag]);
      expect(stdout).not.to.equal("");
    }
  });

  it("goes on quietly when nobody reads its output any more", async () => {
    const child = spawn(process.execPath, [main, "config", "print"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [[code], errors] = await Promise.all([once(child, "close"), child.stderr.toArray()]);
    expect(String(Buffer.concat(errors))).to.equal("");
    expect(code).to.equal(0);
  });

  it("hands its exit code to the shell and writes cards to standard error, without colours into a pipe", async () => {
    const failure = await run(process.execPath, [main, "trian"]).then(
      () => null,
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    expect(failure).to.include({ code: 2, stdout: "" });
    expect(failure?.stderr).to.match(/^error VERL_CLI_USAGE\n/);
  });
});
