import { type Machine, pciAccelerators } from "../../core/platform/index.js";
import type { MemoryInfo, ProbeResult } from "../../core/plugin.js";

const PCI_VENDOR = "0x10de";
const DRIVER = "/proc/driver/nvidia";
const WSL = "/dev/dxg";

export interface NvidiaChip {
  readonly name: string;
  /** UUIDs. */
  readonly ids: readonly string[];
  readonly memory: MemoryInfo | null;
  readonly capability: readonly [number, number] | null;
}

export interface Findings extends ProbeResult {
  /** Before masking. */
  readonly chips: readonly NvidiaChip[];
  readonly driver: string;
}

/**
 * What files say, and nvidia-smi where it is installed: the files of the driver come first, for containers often have them
 * alone. Windows and WSL have the tool alone.
 */
export async function findChips(machine: Machine): Promise<Findings> {
  const { os } = machine;
  if (os !== "linux" && os !== "win32") return absent(`there is no driver for ${os}`);
  const hasFiles = os === "linux" && !machine.exists(WSL);
  const driver = hasFiles ? driverVersion(machine) : null;
  if (hasFiles && driver === null) return withoutDriver(machine);
  if (hasFiles && deviceNodes(machine).length === 0) {
    const reason = `driver ${driver} is loaded, and this process sees no /dev/nvidia0: a container must be started with its devices (--gpus all)`;
    return { status: "unusable", reason, chips: [], driver: driver ?? "" };
  }
  const tool = await machine.run("nvidia-smi", [`--query-gpu=${QUERY}`, "--format=csv,noheader,nounits"]);
  if (tool.status === "failed") {
    return { status: "unusable", reason: `nvidia-smi failed: ${tool.reason}`, chips: [], driver: driver ?? "" };
  }
  if (tool.status === "absent")
    return driver === null ? absent("nvidia-smi is not installed") : fromFiles(machine, driver);
  return fromTool(tool.output);
}

const QUERY = "name,uuid,memory.total,memory.free,compute_cap,driver_version";

function fromTool(output: string): Findings {
  const lines = output.split("\n").map((line) => line.split(",").map((field) => field.trim()));
  const rows = lines.filter(({ length }) => length === QUERY.split(",").length);
  const chips = rows.map(([name, uuid, total, free, capability]) => ({
    name: name.startsWith("NVIDIA") ? name : `NVIDIA ${name}`,
    ids: [uuid],
    memory: memoryOf(Number(total), Number(free)),
    capability: capabilityOf(capability),
  }));
  if (chips.length === 0) return absent(`nvidia-smi lists no device: ${output.split("\n")[0]}`);
  return { status: "yes", reason: "", chips, driver: rows[0][5] };
}

function fromFiles(machine: Machine, driver: string): Findings {
  const infos = machine.list(`${DRIVER}/gpus`).map((gpu) => machine.read(`${DRIVER}/gpus/${gpu}/information`) ?? "");
  const chips = deviceNodes(machine).map((_, i) => {
    const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, "m").exec(infos[i] ?? "")?.[1].trim();
    const uuid = field("GPU UUID");
    return { name: field("Model") ?? "NVIDIA chip", ids: uuid ? [uuid] : [], memory: null, capability: null };
  });
  return { status: "yes", reason: "", chips, driver };
}

function withoutDriver(machine: Machine): Findings {
  const [chip] = pciAccelerators(machine, PCI_VENDOR);
  if (!chip) return absent(`no ${DRIVER}, and no NVIDIA chip on the PCI bus`);
  const reason = `a chip is there (PCI ${chip.address}, device ${chip.device}), its kernel driver is not loaded (no ${DRIVER})`;
  return { status: "unusable", reason, chips: [], driver: "" };
}

function driverVersion(machine: Machine): string | null {
  const text = machine.read(`${DRIVER}/version`);
  return text === null ? null : (/Kernel Module\s+(?:for \S+\s+)?([\d.]+)/.exec(text)?.[1] ?? "of unknown version");
}

const deviceNodes = (machine: Machine) => machine.list("/dev").filter((name) => /^nvidia\d+$/.test(name));

const absent = (reason: string): Findings => ({ status: "no", reason, chips: [], driver: "" });

function memoryOf(totalMiB: number, freeMiB: number): MemoryInfo | null {
  if (!(totalMiB > 0 && freeMiB >= 0)) return null;
  return { totalBytes: totalMiB * 2 ** 20, freeBytes: Math.min(freeMiB, totalMiB) * 2 ** 20 };
}

function capabilityOf(text: string | undefined): readonly [number, number] | null {
  const match = /^(\d+)\.(\d+)$/.exec(text ?? "");
  return match ? [Number(match[1]), Number(match[2])] : null;
}
