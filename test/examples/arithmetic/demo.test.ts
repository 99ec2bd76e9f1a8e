import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";

const demo = fileURLToPath(new URL("../../../examples/arithmetic/main.js", import.meta.url));

describe("examples/arithmetic", () => {
  it("runs both stages and ends with one line of JSON", async function () {
    this.timeout(180_000);
    const out = await mkdtemp(path.join(tmpdir(), "verl-arithmetic-"));
    try {
      await writeFile(path.join(out, "thesis.txt"), "somebody's own");
      const args = [demo, "--json", "--control", "--supervised-steps", "4", "--steps", "1", "--out", out];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const lines = stdout.trim().split("\n");
      const result = JSON.parse(lines[lines.length - 1]) as Record<string, unknown>;
      expect(Object.keys(result)).to.deep.equal(["start", "end", "seconds", "report"]);
      expect(result.start).to.be.within(0, 1);
      expect(result.end).to.be.within(0, 1);
      expect(await readFile(result.report as string, "utf8")).to.contain("<svg");
      expect(await readFile(path.join(out, "thesis.txt"), "utf8")).to.equal("somebody's own");
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  });

  for (const args of [["--bogus"], ["--seed", "x"], ["--steps", "0"]]) {
    it(`refuses ${args.join(" ")} without a stack`, async () => {
      const failure = await promisify(execFile)(process.execPath, [demo, ...args]).then(
        () => null,
        (error: { code: number; stderr: string }) => error,
      );
      expect(failure?.code).to.equal(2);
      expect(failure?.stderr).to.include(args[0]).and.not.include("    at ");
    });
  }
});
