import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  createFakeSandbox,
  type FakeProgram,
  fakeSandboxFactory,
  runConformance,
  sandboxConformance,
} from "../../../testing/index.js";

/** Plays the programs that a function can play; the program's text names it. */
const play: FakeProgram = async ({ code, stdin, argv, files, collect, limits }, signal) => {
  if (code === "echo") return { stdout: Buffer.from(stdin) + argv.join(" "), stderr: "err" };
  if (code === "fail") return { outcome: "exit", exitCode: 3 };
  if (code === "flood") return { stdout: "x".repeat(limits.outputBytes + 1) };
  if (code === "files") return { files: { [collect[0]]: files.get("data/in.txt")! } };
  await sleep(60_000, null, { signal }).catch(() => {});
  return {};
};

runConformance(
  "the fake sandbox",
  sandboxConformance({
    factory: fakeSandboxFactory({ languages: ["played"], run: play }),
    programs: { language: "played", echo: "echo", fail: "fail", flood: "flood", files: "files", wait: "wait" },
  }),
  { describe, it },
);

describe("testing/fake-sandbox", () => {
  it("keeps the programs that it was asked to run, complete with limits", async () => {
    const sandbox = createFakeSandbox({ limits: { wallMs: 7 }, run: () => ({ stdout: "42" }) });
    const { stdout, outcome } = await sandbox.run({ language: "python", code: "print(42)", limits: { memoryMiB: 8 } });
    expect({ stdout, outcome }).to.deep.equal({ stdout: "42", outcome: "ok" });
    const [{ code, limits }] = sandbox.programs;
    expect({ code, wallMs: limits.wallMs, memoryMiB: limits.memoryMiB }).to.deep.equal({
      code: "print(42)",
      wallMs: 7,
      memoryMiB: 8,
    });
  });
});
