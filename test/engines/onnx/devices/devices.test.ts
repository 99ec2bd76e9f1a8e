import { expect } from "chai";
import { BUILTINS } from "../../../../cli/builtins.js";
import { lineLogger } from "../../../../core/host/index.js";
import { createHost } from "../../../../core/index.js";
import { definePlugin } from "../../../../core/plugin.js";
import { missingPart } from "../../../../engines/onnx/devices/devices.js";
import { testInChild } from "../../../../engines/onnx/devices/test-in-child.js";
import { fakePlatformFactory } from "../../../../testing/index.js";
import { rejection } from "../../../core/host/support/hosts.js";
import { tinyOptions } from "../backend/fixtures.js";

const COMMAND = /ONNXRUNTIME_NODE_INSTALL=cuda12 node \S+onnxruntime-node\/script\/install\.js/;

/** A chip of that vendor, in place of the built-in platform, with everything else that is built in. */
async function hostWith(vendorName: string, log: string[] = []) {
  const chip = definePlugin({
    name: "chip",
    apiVersion: "^1.0.0",
    provides: ["platform"],
    register(host) {
      host.platforms.register(fakePlatformFactory({ vendorName, deviceName: "cuda" }), { override: true });
    },
  });
  const builtins = [...BUILTINS, chip];
  return createHost({ builtins, env: {}, logger: lineLogger((line) => log.push(line)) });
}

describe("engines/onnx on devices", () => {
  it("needs CUDA's libraries, and names the one command that installs them", () => {
    expect(missingPart("cuda", "nvidia")?.what).to.include("libonnxruntime_providers_cuda.so");
    expect(missingPart("cuda", "nvidia")?.install).to.match(COMMAND);
    expect(missingPart("cuda", "amd")).to.deep.equal({
      what: "onnxruntime's CUDA provider is for NVIDIA's chips, not for amd",
      install: null,
    });
    expect(missingPart("webgpu", "webgpu")).to.equal(null);
  });

  it("refuses a run that names a chip whose libraries are missing", async () => {
    const host = await hostWith("nvidia");
    const { createEngine } = await host.services({ device: "nvidia" });
    const error = await rejection(createEngine("language_model", null, tinyOptions()));
    expect(error.code).to.equal("VERL_ENGINE_UNAVAILABLE");
    expect(error.what).to.equal("the engine onnx cannot compute on cuda of nvidia");
    expect(error.why).to.match(COMMAND);
    await host.dispose();
  });

  it("refuses AMD's chips, though tensor libraries call them cuda", async () => {
    const host = await hostWith("amd");
    const { createEngine } = await host.services({ device: "rocm" }).catch(() => host.services({ device: "amd" }));
    const error = await rejection(createEngine("language_model", null, tinyOptions()));
    expect(error.why).to.equal("onnxruntime's CUDA provider is for NVIDIA's chips, not for amd");
    await host.dispose();
  });

  it("leaves the choice of a machine with such a chip to the processor, and says why", async () => {
    const log: string[] = [];
    const host = await hostWith("nvidia", log);
    const { platform, createEngine } = await host.services();
    expect(platform.vendorName).to.equal("cpu");
    expect(log.join("\n")).to.match(/platform nvidia is there \(2 imaginary devices\) but nothing can compute on it/);
    expect(log.join("\n")).to.match(COMMAND);
    const engine = await createEngine("language_model", null, tinyOptions());
    expect(engine.capabilities.devices).to.deep.equal(["cpu"]);
    await engine.dispose();
    await host.dispose();
  });

  it("tests a device in a process of its own, and says how that failed", async function () {
    this.timeout(30_000);
    const error = await rejection(testInChild("cuda"));
    expect(error.code).to.equal("VERL_ONNX_RUNTIME_UNUSABLE");
    expect(error.what).to.equal('onnxruntime on device "cuda" failed the test of its gradients');
    expect(error.why).to.match(/libonnxruntime_providers_shared/);
  });
});
