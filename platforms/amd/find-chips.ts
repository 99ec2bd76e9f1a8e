import { type Machine, pciAccelerators } from "../../core/platform/index.js";
import type { MemoryInfo, ProbeResult } from "../../core/plugin.js";

const PCI_VENDOR = "0x1002";
const COMPUTE = "/dev/kfd";
const NODES = "/sys/class/kfd/kfd/topology/nodes";

export interface AmdChip {
  readonly name: string;
  readonly ids: readonly string[];
  readonly memory: MemoryInfo | null;
  readonly capability: readonly [number, number] | null;
}

export interface Findings extends ProbeResult {
  /** Before masking. */
  readonly chips: readonly AmdChip[];
  /** Of ROCm. */
  readonly version: string;
}

/** What the compute driver's files say: its nodes with processing units are the devices, in the order in which ROCm numbers them. */
export function findChips(machine: Machine): Findings {
  const { os } = machine;
  if (os !== "linux") return none("no", `there is no ROCm for ${os}`);
  if (!machine.exists(COMPUTE)) return withoutDriver(machine);
  const chips = machine.list(NODES).flatMap((node) => chipOf(machine, `${NODES}/${node}`) ?? []);
  if (chips.length === 0) return none("no", `${COMPUTE} is there, its driver lists no device`);
  if (!machine.mayUse(COMPUTE)) {
    const reason = `${chips[0].name} is there, and this process may not use ${COMPUTE}: add its user to the groups render and video`;
    return none("unusable", reason);
  }
  const version = rocmVersion(machine);
  if (version === null) {
    return none(
      "unusable",
      `${chips[0].name} and its driver are there, ROCm is not installed (no /opt/rocm, no ROCM_PATH)`,
    );
  }
  return { status: "yes", reason: "", chips, version };
}

function chipOf(machine: Machine, node: string): AmdChip | null {
  const properties = new Map(
    (machine.read(`${node}/properties`) ?? "").split("\n").map((line) => {
      const [name, value] = line.trim().split(/\s+/);
      return [name, value] as const;
    }),
  );
  // The processor is a node too.
  if (!(Number(properties.get("simd_count") ?? 0) > 0)) return null;
  const version = Number(properties.get("gfx_target_version") ?? 0);
  const [major, minor, step] = [Math.floor(version / 10_000), Math.floor(version / 100) % 100, version % 100];
  const gfx = version > 0 ? ` gfx${major}${minor.toString(16)}${step.toString(16)}` : "";
  const unique = properties.get("unique_id");
  return {
    name: `AMD ${machine.read(`${node}/name`) || "chip"}${gfx}`,
    ids: unique && unique !== "0" ? [`GPU-${BigInt(unique).toString(16).padStart(16, "0")}`] : [],
    memory: memoryOf(machine, properties.get("drm_render_minor")),
    capability: version > 0 ? [major, minor] : null,
  };
}

function memoryOf(machine: Machine, minor: string | undefined): MemoryInfo | null {
  const read = (name: string) => Number(machine.read(`/sys/class/drm/renderD${minor}/device/mem_info_vram_${name}`));
  const [totalBytes, usedBytes] = [read("total"), read("used")];
  return totalBytes > 0 ? { totalBytes, freeBytes: Math.max(0, totalBytes - usedBytes) } : null;
}

function rocmVersion(machine: Machine): string | null {
  const folder = machine.env.ROCM_PATH ?? "/opt/rocm";
  if (!machine.exists(folder)) return null;
  return machine.read(`${folder}/.info/version`) ?? "of unknown version";
}

function withoutDriver(machine: Machine): Findings {
  const [chip] = pciAccelerators(machine, PCI_VENDOR);
  if (!chip) return none("no", `no ${COMPUTE}, and no AMD chip on the PCI bus`);
  const reason = `a chip is there (PCI ${chip.address}, device ${chip.device}), its compute driver is not loaded (no ${COMPUTE})`;
  return none("unusable", reason);
}

const none = (status: ProbeResult["status"], reason: string): Findings => ({ status, reason, chips: [], version: "" });
