import { expect } from "chai";
import { openMachine } from "../../../core/platform/index.js";
import { WebGpuPlatform, webGpuPlugin } from "../../../platforms/webgpu/index.js";
import { platformConformance, pluginConformance, runConformance } from "../../../testing/index.js";
import { MachineFolders, type MachineParts } from "../support/machine-folder.js";

const LOADER = { "/usr/lib/x86_64-linux-gnu/libvulkan.so.1": "" };

describe("the webgpu platform", () => {
  const machines = new MachineFolders();
  afterEach(() => machines.clean());

  const probe = (parts: MachineParts = {}) => new WebGpuPlatform(machines.make(parts)).probe();

  it("asks nobody where Linux has no Vulkan", async () => {
    expect((await probe()).reason).to.equal("the Vulkan loader (libvulkan.so.1) is not installed");
    expect((await probe({ files: LOADER })).reason).to.include("no Vulkan driver is installed");
  });

  it("asks onnxruntime for an adapter in a process of its own, and hands on why it gets none", async function () {
    this.timeout(30_000);
    const env = { PATH: "", VK_DRIVER_FILES: "/nowhere.json", VK_ICD_FILENAMES: "/nowhere.json" };
    const found = await new WebGpuPlatform(openMachine({ os: "darwin", env })).probe();
    expect(found.status, "no driver file, so no adapter").to.equal("unusable");
    expect(found.reason).to.match(/Failed to get a WebGPU adapter/);
  });
});

runConformance(
  "the webgpu platform, on whatever this machine is",
  platformConformance(() => ({ vendorName: "webgpu", create: () => new WebGpuPlatform() })),
  { describe, it },
);
runConformance("the webgpu plugin", pluginConformance(webGpuPlugin), { describe, it });
