import { expect } from "chai";
import { HuaweiPlatform, huaweiPlugin } from "../../../platforms/huawei/index.js";
import { reaches } from "../../../platforms/huawei/versions.js";
import { platformConformance, pluginConformance, runConformance } from "../../../testing/index.js";
import { MachineFolders, type MachineParts, pciFiles } from "../support/machine-folder.js";

const LATEST = "/usr/local/Ascend/ascend-toolkit/latest";

/** Eleven chips with driver and CANN: as many as make an order by text differ from one by number. */
const MACHINE: Record<string, string> = {
  ...Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`/dev/davinci${i}`, ""])),
  "/dev/davinci_manager": "",
  "/usr/local/Ascend/driver/version.info": "Version=25.3.RC1\nascendhal_version=7.35.23\n",
  [`${LATEST}/version.cfg`]: "runtime_running_version=[7.7.0.1.238:8.3.RC1]\n",
};

describe("the huawei platform", () => {
  const machines = new MachineFolders();
  afterEach(() => machines.clean());

  const platform = (parts: MachineParts = {}) => new HuaweiPlatform(machines.make(parts));
  const probe = (parts: MachineParts = {}) => platform(parts).probe();

  it("is npu, of Huawei", () => {
    expect(platform()).to.include({ vendorName: "huawei", deviceName: "npu", collectiveBackend: "hccl" });
    expect(platform({ env: { USE_FLAGCX: "1" } }).collectiveBackend).to.equal("flagcx");
    expect(platform({ env: { VLLM_ASCEND_TASK_QUEUE_ENABLE: "1" } }).rolloutEnv()).to.deep.equal({
      NCCL_CUMEM_ENABLE: "0",
      VLLM_ASCEND_AUTO_DETECT_QUANTIZATION: "0",
      TASK_QUEUE_ENABLE: "1",
    });
  });

  it("is usable with chips, driver and CANN", () => {
    expect(probe({ files: MACHINE })).to.deep.equal({
      status: "yes",
      reason: "Ascend davinci0, 11 devices, driver 25.3.RC1, CANN 8.3.RC1",
    });
    expect(platform({ files: MACHINE }).describe(10)).to.equal("Ascend davinci10");
  });

  it("shares device memory between processes from certain versions on", () => {
    const old = { ...MACHINE, "/usr/local/Ascend/driver/version.info": "Version=24.1.0\n" };
    expect(platform({ files: MACHINE }).ipcSupported).to.equal(true);
    expect(platform({ files: old }).ipcSupported).to.equal(false);
    expect(platform().ipcSupported).to.equal(false);
  });

  it("says what is missing", () => {
    expect(probe().reason).to.equal("no /dev/davinci0, and no Ascend chip on the PCI bus");
    const bus = probe({ files: pciFiles("0000:01:00.0", "0x19e5", "0xd802", "0x120000") });
    expect(bus.status).to.equal("unusable");
    expect(bus.reason).to.include("device 0xd802").and.include("no /dev/davinci0");
    // Its servers have graphics chips and network cards too.
    expect(probe({ files: pciFiles("0000:07:00.0", "0x19e5", "0x1711", "0x030000") }).status).to.equal("no");
    expect(probe({ files: { "/dev/davinci0": "" } }).reason).to.include("HwHiAiUser");
    const { [`${LATEST}/version.cfg`]: _, ...withoutCann } = MACHINE;
    expect(probe({ files: withoutCann }).reason).to.include("CANN is not installed");
    const elsewhere = { files: { ...withoutCann, "/soft/cann": null }, env: { ASCEND_HOME_PATH: "/soft/cann" } };
    expect(probe(elsewhere).reason).to.include("CANN of unknown version");
  });

  it("counts what its mask lets through", () => {
    for (const [mask, count] of [
      ["0,10", 2],
      ["", 0],
      ["-1", 0],
      ["3,3,4", 1],
      ["11", 0],
    ] as const) {
      const found = platform({ files: MACHINE, env: { ASCEND_RT_VISIBLE_DEVICES: mask } });
      expect(found.deviceCount(), mask).to.equal(count);
      expect(found.probe().status).to.equal(count > 0 ? "yes" : "unusable");
    }
  });

  it("knows which version comes before which", () => {
    const ascending = ["24.1.0", "25.2.0", "25.3.rc1", "25.3.RC2.b050", "25.3", "25.5.rc1", "26.0"];
    ascending.forEach((version, i) => {
      ascending.forEach((wanted, j) => {
        expect(reaches(version, wanted), `${version} >= ${wanted}`).to.equal(i >= j);
      });
    });
    expect(reaches("of unknown version", "1.0")).to.equal(false);
  });
});

runConformance(
  "the huawei platform, on whatever this machine is",
  platformConformance(() => ({ vendorName: "huawei", create: () => new HuaweiPlatform() })),
  { describe, it },
);
runConformance("the huawei plugin", pluginConformance(huaweiPlugin), { describe, it });
