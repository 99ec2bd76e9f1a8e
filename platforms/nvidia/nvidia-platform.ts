import { type Machine, openMachine, visibleDevices } from "../../core/platform/index.js";
import type { MemoryInfo, Platform, ProbeResult } from "../../core/plugin.js";
import { type Findings, findChips, type NvidiaChip } from "./find-chips.js";

const MASK = "CUDA_VISIBLE_DEVICES";

/** NVIDIA's chips under their own driver. */
export class NvidiaPlatform implements Platform {
  readonly vendorName = "nvidia";
  readonly deviceName = "cuda";
  readonly aliases = ["geforce"];
  readonly collectiveBackend: string;
  readonly visibleDevicesEnv = MASK;
  readonly ipcSupported = true;
  private found: Promise<Findings> | null = null;

  constructor(private readonly machine: Machine = openMachine()) {
    this.collectiveBackend = /^(1|true)$/i.test(machine.env.USE_FLAGCX ?? "") ? "flagcx" : "nccl";
  }

  async probe(): Promise<ProbeResult> {
    this.found = null;
    const { status, reason, chips, driver } = await this.findings();
    if (status !== "yes") return { status, reason };
    const { length } = await this.visible();
    const total = `${chips.length} ${chips.length === 1 ? "device" : "devices"}`;
    if (length === 0) {
      const mask = this.machine.env[MASK];
      return { status: "unusable", reason: `${MASK}=${mask} hides all of ${total}` };
    }
    const count = length === chips.length ? total : `${length} of ${total}`;
    return { status, reason: `${await this.describe()}, ${count}, driver ${driver}` };
  }

  async deviceCount(): Promise<number> {
    return (await this.visible()).length;
  }

  async memoryInfo(device = 0): Promise<MemoryInfo | null> {
    // Free memory changes: asked anew.
    this.found = null;
    return (await this.visible())[device]?.memory ?? null;
  }

  async deviceCapability(device = 0): Promise<readonly [number, number] | null> {
    return (await this.visible())[device]?.capability ?? null;
  }

  async describe(device = 0): Promise<string> {
    return (await this.visible())[device]?.name ?? "NVIDIA chip";
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    return { NCCL_CUMEM_ENABLE: "0" };
  }

  /** Generators are the host's. */
  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}

  private findings(): Promise<Findings> {
    this.found ??= findChips(this.machine);
    return this.found;
  }

  private async visible(): Promise<readonly NvidiaChip[]> {
    return visibleDevices(this.machine.env[MASK], (await this.findings()).chips);
  }
}
