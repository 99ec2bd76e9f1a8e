import type { MemoryInfo, Platform, PlatformFactory, ProbeResult } from "../../core/platform/index.js";

export interface FakePlatformOptions {
  readonly vendorName?: string;
  readonly deviceName?: string;
  readonly aliases?: readonly string[];
  readonly priority?: number;
  /** Default: usable. */
  readonly probe?: ProbeResult;
  /** Devices in the imaginary machine, before masking. */
  readonly devices?: number;
}

/** Masks the imaginary devices, as `CUDA_VISIBLE_DEVICES` does real ones. */
export const FAKE_VISIBLE_DEVICES = "FAKE_VISIBLE_DEVICES";

/** A chip that exists nowhere: counts, memory and names are made up, nothing computes. */
export function fakePlatformFactory(options: FakePlatformOptions = {}): PlatformFactory {
  const { vendorName = "fake", priority } = options;
  return { vendorName, priority, create: () => new FakePlatform({ vendorName, ...options }) };
}

class FakePlatform implements Platform {
  readonly vendorName: string;
  readonly deviceName: string;
  readonly aliases: readonly string[];
  readonly collectiveBackend = "fake-ccl";
  readonly visibleDevicesEnv = FAKE_VISIBLE_DEVICES;
  readonly ipcSupported = false;
  private readonly answer: ProbeResult;
  private readonly devices: number;

  constructor({ vendorName = "fake", deviceName = "fake-npu", aliases = [], probe, devices = 2 }: FakePlatformOptions) {
    this.vendorName = vendorName;
    this.deviceName = deviceName;
    this.aliases = aliases;
    this.devices = devices;
    this.answer = probe ?? { status: "yes", reason: `${devices} imaginary devices` };
  }

  probe(): ProbeResult {
    return this.answer;
  }

  deviceCount(): number {
    const mask = process.env[FAKE_VISIBLE_DEVICES];
    return mask === undefined ? this.devices : mask.split(",").filter((index) => index.trim() !== "").length;
  }

  memoryInfo(): MemoryInfo {
    return { freeBytes: 6 * 2 ** 30, totalBytes: 8 * 2 ** 30 };
  }

  deviceCapability(): readonly [number, number] {
    return [1, 0];
  }

  describe(): string {
    return "Fake NPU";
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    return {};
  }

  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}
}
