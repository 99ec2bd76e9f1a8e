import { expect } from "chai";
import { NvidiaPlatform, nvidiaPlugin } from "../../../platforms/nvidia/index.js";
import { platformConformance, pluginConformance, runConformance } from "../../../testing/index.js";
import { MachineFolders, type MachineParts, pciFiles } from "../support/machine-folder.js";

const MODULE = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024";
const UUIDS = ["GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", "GPU-11111111-d72c-4106-c12f-20bd9faed9f7"];

/** A machine with two chips, their driver, and no nvidia-smi. */
const DRIVER: Record<string, string> = {
  "/proc/driver/nvidia/version": MODULE,
  "/proc/driver/nvidia/gpus/0000:17:00.0/information": `Model: \t\t NVIDIA H200\nIRQ:   \t\t 205\nGPU UUID: \t ${UUIDS[0]}\n`,
  "/proc/driver/nvidia/gpus/0000:65:00.0/information": `Model: \t\t NVIDIA H200\nGPU UUID: \t ${UUIDS[1]}\n`,
  "/dev/nvidia0": "",
  "/dev/nvidia1": "",
  "/dev/nvidiactl": "",
};
const SMI = UUIDS.map((uuid) => `echo "NVIDIA H200, ${uuid}, 143771, 143000, 9.0, 550.54.14"`).join("\n");

describe("the nvidia platform", () => {
  const machines = new MachineFolders();
  afterEach(() => machines.clean());

  const platform = (parts: MachineParts = {}) => new NvidiaPlatform(machines.make(parts));
  const probe = (parts: MachineParts = {}) => platform(parts).probe();

  it("is cuda, of NVIDIA", () => {
    expect(platform()).to.include({ vendorName: "nvidia", deviceName: "cuda", collectiveBackend: "nccl" });
    expect(platform()).to.include({ visibleDevicesEnv: "CUDA_VISIBLE_DEVICES", ipcSupported: true });
    expect(platform().rolloutEnv()).to.deep.equal({ NCCL_CUMEM_ENABLE: "0" });
    expect(platform({ env: { USE_FLAGCX: "True" } }).collectiveBackend).to.equal("flagcx");
  });

  it("is not there without driver and chip", async () => {
    expect(await probe()).to.deep.equal({
      status: "no",
      reason: "no /proc/driver/nvidia, and no NVIDIA chip on the PCI bus",
    });
    expect((await probe({ files: pciFiles("0000:00:1f.3", "0x10de", "0x10f0", "0x040300") })).status).to.equal("no");
    expect(await probe({ os: "darwin" })).to.deep.equal({ status: "no", reason: "there is no driver for darwin" });
    expect(await probe({ os: "win32" })).to.deep.equal({ status: "no", reason: "nvidia-smi is not installed" });
  });

  it("says that a chip lacks its driver", async () => {
    const found = await probe({ files: pciFiles("0000:17:00.0", "0x10de", "0x2335", "0x030200") });
    expect(found.status).to.equal("unusable");
    expect(found.reason).to.include("PCI 0000:17:00.0, device 0x2335").and.include("kernel driver is not loaded");
  });

  it("says that a container got no device", async () => {
    const found = await probe({ files: { "/proc/driver/nvidia/version": MODULE } });
    expect(found.status).to.equal("unusable");
    expect(found.reason).to.include("driver 550.54.14 is loaded").and.include("--gpus all");
  });

  it("is usable by the driver's files alone", async () => {
    const found = platform({ files: DRIVER });
    expect(await found.probe()).to.deep.equal({
      status: "yes",
      reason: "NVIDIA H200, 2 devices, driver 550.54.14",
    });
    expect(await found.deviceCount()).to.equal(2);
    expect([await found.memoryInfo(), await found.deviceCapability()]).to.deep.equal([null, null]);
  });

  it("learns memory and capability from nvidia-smi", async () => {
    const found = platform({ files: DRIVER, tools: { "nvidia-smi": SMI } });
    expect((await found.probe()).status).to.equal("yes");
    expect(await found.describe(1)).to.equal("NVIDIA H200");
    expect(await found.deviceCapability()).to.deep.equal([9, 0]);
    expect(await found.memoryInfo(1)).to.deep.equal({ totalBytes: 143771 * 2 ** 20, freeBytes: 143000 * 2 ** 20 });
  });

  it("is what nvidia-smi says where there are no files", async () => {
    expect(await probe({ files: { "/dev/dxg": "" }, tools: { "nvidia-smi": SMI } })).to.deep.equal({
      status: "yes",
      reason: "NVIDIA H200, 2 devices, driver 550.54.14",
    });
  });

  it("says why nvidia-smi failed", async () => {
    const smi = 'echo "NVIDIA-SMI has failed because it could not communicate with the driver." >&2; exit 9';
    const found = await probe({ files: DRIVER, tools: { "nvidia-smi": smi } });
    expect(found.status).to.equal("unusable");
    expect(found.reason).to.equal(
      "nvidia-smi failed: NVIDIA-SMI has failed because it could not communicate with the driver.",
    );
    const none = await probe({ files: DRIVER, tools: { "nvidia-smi": 'echo "No devices were found"' } });
    expect(none).to.deep.equal({ status: "no", reason: "nvidia-smi lists no device: No devices were found" });
  });

  it("counts what its mask lets through, by index or identifier", async () => {
    const counts: Record<string, number> = {
      "0": 1,
      "1,0": 2,
      "1,-1,0": 1,
      "0,2,1": 1,
      [UUIDS[1]]: 1,
      "GPU-8932,GPU-1111": 2,
      "GPU-ffff": 0,
      "-1": 0,
      "": 0,
      NoDevFiles: 0,
      [`MIG-${UUIDS[0]}/1/0,MIG-${UUIDS[0]}/2/0`]: 2,
    };
    for (const [mask, count] of Object.entries(counts)) {
      const found = platform({ files: DRIVER, env: { CUDA_VISIBLE_DEVICES: mask } });
      expect(await found.deviceCount(), `CUDA_VISIBLE_DEVICES=${mask}`).to.equal(count);
      expect((await found.probe()).status).to.equal(count > 0 ? "yes" : "unusable");
    }
    expect((await probe({ files: DRIVER, env: { CUDA_VISIBLE_DEVICES: "-1" } })).reason).to.equal(
      "CUDA_VISIBLE_DEVICES=-1 hides all of 2 devices",
    );
    expect((await probe({ files: DRIVER, env: { CUDA_VISIBLE_DEVICES: "1" } })).reason).to.include("1 of 2 devices");
  });
});

runConformance(
  "the nvidia platform, on whatever this machine is",
  platformConformance(() => ({ vendorName: "nvidia", create: () => new NvidiaPlatform() })),
  { describe, it },
);
runConformance("the nvidia plugin", pluginConformance(nvidiaPlugin), { describe, it });
