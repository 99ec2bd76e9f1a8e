import os from "node:os";
import type { MemoryInfo, Platform, PlatformFactory, ProbeResult } from "verl-ts/plugin";

/** Stands for a chip that computes on the host's processors. A real one asks its driver. */
class ChipPlatform implements Platform {
  readonly vendorName = "__SHORT__";
  readonly deviceName = "__DEVICE__";
  readonly aliases = [];
  readonly collectiveBackend = null;
  /** The variable that hides devices from a process, as CUDA_VISIBLE_DEVICES does; null if there is none. */
  readonly visibleDevicesEnv = null;
  readonly ipcSupported = false;

  /** Looks, and leaves no trace: no context, no file, no variable. The reason is what a user reads in `verl doctor`. */
  probe(): ProbeResult {
    return { status: "yes", reason: "the host's processors stand in for the chip" };
  }

  deviceCount(): number {
    return 1;
  }

  memoryInfo(): MemoryInfo {
    return { totalBytes: os.totalmem(), freeBytes: os.freemem() };
  }

  deviceCapability(): null {
    return null;
  }

  describe(): string {
    return "__SHORT__";
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    return {};
  }

  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}
}

/** The lowest priority is detected first; the cpu has 1000. Behind it, the chip is taken only by name. */
export const platform: PlatformFactory = { vendorName: "__SHORT__", priority: 2000, create: () => new ChipPlatform() };
