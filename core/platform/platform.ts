import type { Awaitable } from "../host/types.js";

/**
 * The answer of a probe. `unusable` means that the chip is there but cannot be used by this process; `reason` says why
 * in words for `verl doctor` ("driver 470 is older than 525", "no /dev/kfd").
 */
export interface ProbeResult {
  readonly status: "yes" | "no" | "unusable";
  readonly reason: string;
}

/** Bytes of device memory, or of host memory for the cpu platform. */
export interface MemoryInfo {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/**
 * A chip family. One object per process, made by the factory that was registered under its vendor name. Nothing here
 * may touch the device before `probe`, and `probe` leaves no trace: no context, no environment change, no file.
 */
export interface Platform {
  /** Vendor: the registry key, e.g. `nvidia`, `cpu`. */
  readonly vendorName: string;
  /** Tensor-library device type, e.g. `cuda`, `npu`, `cpu`. Two vendors may share one. */
  readonly deviceName: string;
  /** Further names under which a user may ask for it; the device name is one of them only where it is unambiguous. */
  readonly aliases: readonly string[];
  probe(): Awaitable<ProbeResult>;
  /** Number of devices that this process may use after masking. */
  deviceCount(): Awaitable<number>;
  memoryInfo(device?: number): Awaitable<MemoryInfo | null>;
  /** Compute capability as [major, minor], or null where the notion does not exist. */
  deviceCapability(device?: number): Awaitable<readonly [number, number] | null>;
  /** Human-readable device name, e.g. `NVIDIA H200`. */
  describe(device?: number): Awaitable<string>;
  /** Name of the collective library (`nccl`, `gloo`, …) or null when it has none. */
  readonly collectiveBackend: string | null;
  /** Environment variable that masks devices (`CUDA_VISIBLE_DEVICES`), or null. */
  readonly visibleDevicesEnv: string | null;
  /** Whether processes on one host can share device memory. */
  readonly ipcSupported: boolean;
  /** Variables that rollout servers on this platform need. */
  rolloutEnv(): Readonly<Record<string, string>>;
  /** Seed the device's own generators; a no-op where every generator is the host's. */
  manualSeed(seed: number): Awaitable<void>;
  /** Wait for queued device work. */
  synchronize(): Awaitable<void>;
  /** Drop cached device memory. */
  emptyCache(): Awaitable<void>;
}

/** Detection order: lower first. Built-ins use 100 for accelerators and 1000 for `cpu`. */
export interface PlatformFactory {
  readonly vendorName: string;
  readonly priority?: number;
  create(): Awaitable<Platform>;
}
