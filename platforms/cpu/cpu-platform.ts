import os from "node:os";
import type { MemoryInfo, Platform, ProbeResult } from "../../core/plugin.js";

/**
 * The processors of this machine: always usable, last in detection order. Memory is what the operating system, or a
 * container's limit, leaves to this process.
 */
export class CpuPlatform implements Platform {
  readonly vendorName = "cpu";
  readonly deviceName = "cpu";
  readonly aliases = [];
  readonly collectiveBackend = null;
  readonly visibleDevicesEnv = null;
  readonly ipcSupported = true;

  probe(): ProbeResult {
    return { status: "yes", reason: this.describe() };
  }

  /** All processors together are one device. */
  deviceCount(): number {
    return 1;
  }

  memoryInfo(): MemoryInfo {
    const machine = os.totalmem();
    const limit = process.constrainedMemory();
    const totalBytes = limit > 0 && limit < machine ? limit : machine;
    return { totalBytes, freeBytes: Math.min(totalBytes, process.availableMemory?.() ?? os.freemem()) };
  }

  deviceCapability(): null {
    return null;
  }

  describe(): string {
    const [first] = os.cpus();
    const threads = os.availableParallelism();
    return `${first?.model.trim() || os.arch()}, ${threads} ${threads === 1 ? "thread" : "threads"}`;
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    return {};
  }

  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}
}
