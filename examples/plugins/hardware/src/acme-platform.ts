import type { MemoryInfo, Platform, ProbeResult } from "verl-ts/plugin";

const MASK = "ACME_VISIBLE_DEVICES";
const DEVICES_IN_MACHINE = 2;
const MEMORY_BYTES = 8 * 2 ** 30;

/** An imaginary chip. A real vendor asks its driver here; this one computes on the host's processors and says so. */
export class AcmePlatform implements Platform {
  readonly vendorName = "acme";
  readonly deviceName = "acme-npu";
  readonly aliases = [];
  readonly collectiveBackend = null;
  readonly visibleDevicesEnv = MASK;
  readonly ipcSupported = false;

  /** Looks, and leaves no trace. The reason is what a user reads in `verl doctor`. */
  probe(): ProbeResult {
    return { status: "yes", reason: `${this.deviceCount()} imaginary devices, computing on the host's processors` };
  }

  deviceCount(): number {
    const mask = process.env[MASK];
    return mask === undefined ? DEVICES_IN_MACHINE : mask.split(",").filter((index) => index.trim() !== "").length;
  }

  memoryInfo(): MemoryInfo {
    return { totalBytes: MEMORY_BYTES, freeBytes: Math.max(0, MEMORY_BYTES - process.memoryUsage().rss) };
  }

  deviceCapability(): null {
    return null;
  }

  describe(): string {
    return "Acme NPU (imaginary: computes on the host's processors)";
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    return {};
  }

  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}
}
