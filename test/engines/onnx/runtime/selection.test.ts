import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { isVerlError } from "../../../../core/plugin.js";
import { openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { locateOrtPackage } from "../../../../engines/onnx/runtime/locate.js";
import { readVerdict, selfTestKey, writeVerdict } from "../../../../engines/onnx/runtime/self-test-cache.js";

describe("engines/onnx/runtime selection", () => {
  it("chooses the C API after its self-test", async () => {
    expect((await openOrtRuntime()).kind).to.equal("capi");
  });

  it("opens one runtime per process", async () => {
    expect(await openOrtRuntime()).to.equal(await openOrtRuntime({ kind: "auto" }));
  });

  it("names the one command that installs onnxruntime-node when it is absent", () => {
    // Below the root, for a temporary folder may have packages of its own.
    const elsewhere = pathToFileURL(path.resolve("/nowhere/module.js")).href;
    try {
      locateOrtPackage(elsewhere);
      expect.fail("found onnxruntime-node");
    } catch (error) {
      if (!isVerlError(error)) throw error;
      expect(error.code).to.equal("VERL_ONNX_NOT_INSTALLED");
      expect(error.message).to.include("npm install onnxruntime-node@");
    }
  });

  it("remembers verdicts in the user's cache folder, apart for each way of calling", async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), "verl-cache-"));
    const before = process.env.XDG_CACHE_HOME;
    process.env.XDG_CACHE_HOME = dir;
    try {
      const located = locateOrtPackage();
      const [capi, binding] = [await selfTestKey(located, "capi"), await selfTestKey(located, "binding")];
      expect(capi).to.not.equal(binding);
      expect(await selfTestKey(located, "capi")).to.equal(capi);
      expect(await readVerdict(capi)).to.equal(null);
      await writeVerdict(capi, { trusted: false, reason: "a wrong sum" });
      expect(await readVerdict(capi)).to.deep.equal({ trusted: false, reason: "a wrong sum" });
      expect(await readVerdict(binding)).to.equal(null);
    } finally {
      if (before === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = before;
      await rm(dir, { recursive: true });
    }
  });
});
