import { type Machine, openMachine, visibleDevices } from "../../core/platform/index.js";
import type { MemoryInfo, Platform, ProbeResult } from "../../core/plugin.js";
import { type AmdChip, findChips } from "./find-chips.js";

const MASK = "HIP_VISIBLE_DEVICES";
/** Read by HIP too, where its own mask is not set. */
const CUDA_MASK = "CUDA_VISIBLE_DEVICES";
/** Of the layer below: it numbers the devices anew before HIP's mask is read. */
const LOWER_MASK = "ROCR_VISIBLE_DEVICES";

/**
 * AMD's chips under ROCm. Tensor libraries call them `cuda`, as HIP stands in for CUDA there; `rocm` and `hip` are names for
 * people.
 */
export class AmdPlatform implements Platform {
  readonly vendorName = "amd";
  readonly deviceName = "cuda";
  readonly aliases = ["rocm", "hip", "radeon"];
  readonly collectiveBackend = "nccl";
  readonly visibleDevicesEnv = MASK;
  readonly ipcSupported = true;

  constructor(private readonly machine: Machine = openMachine()) {}

  probe(): ProbeResult {
    const { status, reason, chips, version } = findChips(this.machine);
    if (status !== "yes") return { status, reason };
    const visible = this.visible();
    const total = `${chips.length} ${chips.length === 1 ? "device" : "devices"}`;
    if (visible.length === 0) {
      const masks = [LOWER_MASK, MASK, CUDA_MASK].filter((name) => this.machine.env[name] !== undefined);
      const shown = masks.map((name) => `${name}=${this.machine.env[name]}`).join(" ");
      return { status: "unusable", reason: `${shown} hides all of ${total}` };
    }
    const count = visible.length === chips.length ? total : `${visible.length} of ${total}`;
    return { status, reason: `${visible[0].name}, ${count}, ROCm ${version}` };
  }

  deviceCount(): number {
    return this.visible().length;
  }

  memoryInfo(device = 0): MemoryInfo | null {
    return this.visible()[device]?.memory ?? null;
  }

  /** Major and minor number of the graphics version: gfx942 is [9, 4]. */
  deviceCapability(device = 0): readonly [number, number] | null {
    return this.visible()[device]?.capability ?? null;
  }

  describe(device = 0): string {
    return this.visible()[device]?.name ?? "AMD chip";
  }

  rolloutEnv(): Readonly<Record<string, string>> {
    return { NCCL_CUMEM_ENABLE: "0", SGLANG_USE_AITER: this.machine.env.SGLANG_USE_AITER ?? "1" };
  }

  /** Generators are the host's. */
  manualSeed(): void {}

  synchronize(): void {}

  emptyCache(): void {}

  private visible(): readonly AmdChip[] {
    const { env } = this.machine;
    const lower = visibleDevices(env[LOWER_MASK], findChips(this.machine).chips);
    return visibleDevices(env[MASK] ?? env[CUDA_MASK], lower);
  }
}
