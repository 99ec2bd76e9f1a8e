import { expect } from "chai";
import { CpuPlatform, cpuPlugin } from "../../../platforms/cpu/index.js";
import { fakePlatformFactory, platformConformance, pluginConformance, runConformance } from "../../../testing/index.js";

const factory = () => ({ vendorName: "cpu", create: () => new CpuPlatform() });

runConformance("the cpu platform", platformConformance(factory), { describe, it });
runConformance("the cpu plugin", pluginConformance(cpuPlugin), { describe, it });
runConformance(
  "the fake platform",
  platformConformance(() => fakePlatformFactory()),
  { describe, it },
);
runConformance(
  "a fake platform that is unusable",
  platformConformance(() => fakePlatformFactory({ probe: { status: "unusable", reason: "no firmware" } })),
  { describe, it },
);

describe("the cpu platform", () => {
  it("is always usable and has no capability number", () => {
    const cpu = new CpuPlatform();
    expect(cpu.probe().status).to.equal("yes");
    expect(cpu.deviceCapability()).to.equal(null);
  });

  it("reports memory that this process can have", () => {
    const { freeBytes, totalBytes } = new CpuPlatform().memoryInfo();
    expect(totalBytes).to.be.greaterThan(2 ** 26);
    expect(freeBytes).to.be.greaterThan(0).and.to.be.at.most(totalBytes);
  });
});
