import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { locateOrtPackage } from "../../../../engines/onnx/runtime/locate.js";
import { type SelfTestVerdict, selfTestKey, writeVerdict } from "../../../../engines/onnx/runtime/self-test-cache.js";

const GOOD: SelfTestVerdict = { trusted: true, reason: "" };
const BAD: SelfTestVerdict = { trusted: false, reason: "the sum was wrong" };
const RUNTIME = new URL("../../../../engines/onnx/runtime/index.js", import.meta.url).href;

/** What another process opens, where earlier self-tests ended as given. */
async function openedAfter(verdicts: { capi: SelfTestVerdict; binding: SelfTestVerdict }): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "verl-cache-"));
  const before = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = dir;
  try {
    for (const kind of ["capi", "binding"] as const) {
      await writeVerdict(await selfTestKey(locateOrtPackage(), kind), verdicts[kind]);
    }
    const script = `const { openOrtRuntime } = await import(${JSON.stringify(RUNTIME)});
      console.log(await openOrtRuntime().then(({ kind }) => kind, (error) => error.message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    return stdout.trim();
  } finally {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
    await rm(dir, { recursive: true });
  }
}

describe("engines/onnx/runtime fallback", () => {
  it("takes the binding where the C API failed its self-test", async () => {
    expect(await openedAfter({ capi: BAD, binding: GOOD })).to.equal("binding");
  });

  it("refuses to compute where both failed, and says how", async () => {
    const message = await openedAfter({ capi: BAD, binding: BAD });
    expect(message).to.include("VERL_ONNX_RUNTIME_UNUSABLE");
    expect(message).to.include("capi: the sum was wrong; binding: the sum was wrong");
  });
});
