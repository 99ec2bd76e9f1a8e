import { type Machine, openMachine, visibleDevices } from "../../core/platform/index.js";
import type { MemoryInfo, Platform, ProbeResult } from "../../core/plugin.js";
import { type AscendChip, findChips } from "./find-chips.js";
import { reaches } from "./versions.js";

const MASK = "ASCEND_RT_VISIBLE_DEVICES";
/** From these versions on processes can share device memory. */
const IPC = { driver: "25.3.rc1", toolkit: "8.3.rc1" };

/** Huawei's Ascend chips under CANN. */
export class HuaweiPlatform implements Platform {
  readonly vendorName = "huawei";
  readonly deviceName = "npu";
  readonly aliases = ["ascend"];
  readonly collectiveBackend: string;
  readonly visibleDevicesEnv = MASK;
  readonly ipcSupported: boolean;

  constructor(private readonly machine: Machine = openMachine()) {
    this.collectiveBackend = /^(1|true)$/i.test(machine.env.USE_FLAGCX ?? "") ? "flagcx" : "hccl";
    const { driver, toolkit } = findChips(machine);
    this.ipcSupported = reaches(driver, IPC.driver) && reaches(toolkit, IPC.toolkit);
  }

  probe(): ProbeResult {
    const { status, reason, chips, driver, toolkit } = findChips(this.machine);
    if (status !== "yes") return { status, reason };
    const { length } = this.visible();
    const total = `${chips.length} ${chips.length === 1 ? "device" : "devices"}`;
    if (length === 0) {
      return { status: "unusable", reason: `${MASK}=${this.machine.env[MASK]} hides all of ${total}` };
    }
    const count = length === chips.length ? total : `${length} of ${total}`;
    return { status, reason: `${this.describe()}, ${count}, driver ${driver}, CANN ${toolkit}` };
  }

  deviceCount(): number {
    return this.visible().length;
  }

  /** Only the vendor's own library tells. */
  memoryInfo(): MemoryInfo | null {
    return null;
  }

  deviceCapability(): null {
    return null;
  }

  describe(device = 0): string {
    return this.visible()[device]?.name ?? "Ascend chip";
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    const queue = this.machine.env.VLLM_ASCEND_TASK_QUEUE_ENABLE;
    return {
      NCCL_CUMEM_ENABLE: "0",
      VLLM_ASCEND_AUTO_DETECT_QUANTIZATION: "0",
      ...(queue === undefined ? {} : { TASK_QUEUE_ENABLE: queue }),
    };
  }

  /** Generators are the host's. */
  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}

  private visible(): readonly AscendChip[] {
    return visibleDevices(this.machine.env[MASK], findChips(this.machine).chips);
  }
}
