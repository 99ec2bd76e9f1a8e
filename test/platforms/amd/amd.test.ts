import { expect } from "chai";
import { AmdPlatform, amdPlugin } from "../../../platforms/amd/index.js";
import { platformConformance, pluginConformance, runConformance } from "../../../testing/index.js";
import { MachineFolders, type MachineParts, pciFiles } from "../support/machine-folder.js";

const NODES = "/sys/class/kfd/kfd/topology/nodes";
const chip = (node: number, minor: number, id: string) => ({
  [`${NODES}/${node}/properties`]: `simd_count 1216\ngfx_target_version 90402\ndrm_render_minor ${minor}\nunique_id ${BigInt(id)}\n`,
  [`${NODES}/${node}/name`]: "aqua_vanjaram",
  [`/sys/class/drm/renderD${minor}/device/mem_info_vram_total`]: "206141652992",
  [`/sys/class/drm/renderD${minor}/device/mem_info_vram_used`]: "1000",
});

/** A processor and two chips with driver and ROCm. */
const MACHINE: Record<string, string> = {
  "/dev/kfd": "",
  [`${NODES}/0/properties`]: "cpu_cores_count 96\nsimd_count 0\ngfx_target_version 0\n",
  ...chip(1, 128, "0x2a2d3d4e5f607182"),
  ...chip(2, 129, "0x1b2d3d4e5f607183"),
  "/opt/rocm/.info/version": "6.2.0-66\n",
};

describe("the amd platform", () => {
  const machines = new MachineFolders();
  afterEach(() => machines.clean());

  const platform = (parts: MachineParts = {}) => new AmdPlatform(machines.make(parts));
  const probe = (parts: MachineParts = {}) => platform(parts).probe();

  it("is called cuda by tensor libraries, and rocm or hip by people", () => {
    expect(platform()).to.include({ vendorName: "amd", deviceName: "cuda", collectiveBackend: "nccl" });
    expect(platform().aliases).to.include.members(["rocm", "hip"]);
    expect(platform().rolloutEnv()).to.deep.equal({ NCCL_CUMEM_ENABLE: "0", SGLANG_USE_AITER: "1" });
    expect(platform({ env: { SGLANG_USE_AITER: "0" } }).rolloutEnv()).to.include({ SGLANG_USE_AITER: "0" });
  });

  it("is usable with chip, driver and ROCm", () => {
    expect(probe({ files: MACHINE })).to.deep.equal({
      status: "yes",
      reason: "AMD aqua_vanjaram gfx942, 2 devices, ROCm 6.2.0-66",
    });
    const found = platform({ files: MACHINE });
    expect(found.deviceCapability()).to.deep.equal([9, 4]);
    expect(found.memoryInfo(1)).to.deep.equal({ totalBytes: 206141652992, freeBytes: 206141651992 });
  });

  it("says what is missing", () => {
    expect(probe().reason).to.equal("no /dev/kfd, and no AMD chip on the PCI bus");
    const bus = probe({ files: pciFiles("0000:c4:00.0", "0x1002", "0x150e", "0x030000") });
    expect(bus.status).to.equal("unusable");
    expect(bus.reason).to.include("device 0x150e").and.include("no /dev/kfd");
    const { "/opt/rocm/.info/version": _, ...withoutRocm } = MACHINE;
    expect(probe({ files: withoutRocm }).reason).to.include("ROCm is not installed");
    expect(probe({ files: { ...withoutRocm, "/soft/rocm": null }, env: { ROCM_PATH: "/soft/rocm" } }).status).to.equal(
      "yes",
    );
    expect(probe({ files: { "/dev/kfd": "" } }).reason).to.equal("/dev/kfd is there, its driver lists no device");
    expect(probe({ os: "win32" }).reason).to.equal("there is no ROCm for win32");
  });

  it("reads the masks of both layers, the lower one first", () => {
    const cases: [Record<string, string>, string[]][] = [
      [{}, ["first", "second"]],
      [{ HIP_VISIBLE_DEVICES: "1" }, ["second"]],
      [{ CUDA_VISIBLE_DEVICES: "1" }, ["second"]],
      [{ HIP_VISIBLE_DEVICES: "0", CUDA_VISIBLE_DEVICES: "1" }, ["first"]],
      [{ ROCR_VISIBLE_DEVICES: "1", HIP_VISIBLE_DEVICES: "0" }, ["second"]],
      [{ ROCR_VISIBLE_DEVICES: "1", HIP_VISIBLE_DEVICES: "1" }, []],
      [{ ROCR_VISIBLE_DEVICES: "GPU-1b2d3d4e5f607183" }, ["second"]],
      [{ HIP_VISIBLE_DEVICES: "" }, []],
    ];
    const names = { [`${NODES}/1/name`]: "first", [`${NODES}/2/name`]: "second" };
    for (const [env, expected] of cases) {
      const found = platform({ files: { ...MACHINE, ...names }, env });
      const seen = Array.from({ length: found.deviceCount() }, (_, i) => found.describe(i).split(" ")[1]);
      expect(seen, JSON.stringify(env)).to.deep.equal(expected);
    }
    const hidden = probe({ files: MACHINE, env: { ROCR_VISIBLE_DEVICES: "-1" } });
    expect(hidden).to.deep.equal({ status: "unusable", reason: "ROCR_VISIBLE_DEVICES=-1 hides all of 2 devices" });
  });
});

runConformance(
  "the amd platform, on whatever this machine is",
  platformConformance(() => ({ vendorName: "amd", create: () => new AmdPlatform() })),
  { describe, it },
);
runConformance("the amd plugin", pluginConformance(amdPlugin), { describe, it });
