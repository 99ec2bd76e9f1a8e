import { type Machine, openMachine } from "../../core/platform/index.js";
import type { Platform, ProbeResult } from "../../core/plugin.js";
import { findAdapter } from "./adapter.js";

/** Whatever chip onnxruntime's WebGPU gets an adapter for: through Vulkan, Metal or Direct3D. One device, the default one. */
export class WebGpuPlatform implements Platform {
  readonly vendorName = "webgpu";
  readonly deviceName = "webgpu";
  readonly aliases = [];
  readonly collectiveBackend = null;
  readonly visibleDevicesEnv = null;
  readonly ipcSupported = false;

  constructor(private readonly machine: Machine = openMachine()) {}

  probe(): Promise<ProbeResult> {
    return findAdapter(this.machine);
  }

  deviceCount(): number {
    return 1;
  }

  /** WebGPU does not tell. */
  memoryInfo(): null {
    return null;
  }

  deviceCapability(): null {
    return null;
  }

  describe(): string {
    return "WebGPU adapter";
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    return {};
  }

  /** Generators are the host's. */
  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}
}
