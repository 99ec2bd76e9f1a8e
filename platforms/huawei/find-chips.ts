import { type Machine, pciAccelerators } from "../../core/platform/index.js";
import type { ProbeResult } from "../../core/plugin.js";

const PCI_VENDOR = "0x19e5";
const MANAGER = "/dev/davinci_manager";
const DRIVER_VERSION = "/usr/local/Ascend/driver/version.info";
const TOOLKITS = ["/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/cann", "/usr/local/Ascend/latest"];

export interface AscendChip {
  readonly name: string;
  readonly ids: readonly string[];
}

export interface Findings extends ProbeResult {
  /** Before masking. */
  readonly chips: readonly AscendChip[];
  /** Versions; empty where unknown. */
  readonly driver: string;
  readonly toolkit: string;
}

/** What the files of driver and toolkit say. */
export function findChips(machine: Machine): Findings {
  const none = (status: ProbeResult["status"], reason: string): Findings => ({
    status,
    reason,
    chips: [],
    driver: "",
    toolkit: "",
  });
  const { os } = machine;
  if (os !== "linux") return none("no", `there is no CANN for ${os}`);
  const nodes = machine.list("/dev").filter((name) => /^davinci\d+$/.test(name));
  const onBus = pciAccelerators(machine, PCI_VENDOR).filter((chip) => chip.class.startsWith("0x12"));
  if (nodes.length === 0) {
    if (onBus.length === 0) return none("no", "no /dev/davinci0, and no Ascend chip on the PCI bus");
    const [{ address, device }] = onBus;
    const reason = `a chip is there (PCI ${address}, device ${device}), and this process sees no /dev/davinci0: its driver is not loaded, or a container lacks the device`;
    return none("unusable", reason);
  }
  if (!machine.mayUse(MANAGER)) {
    return none(
      "unusable",
      `${nodes.length} chips are there, and this process may not use ${MANAGER}: add its user to the group HwHiAiUser`,
    );
  }
  const toolkit = toolkitVersion(machine);
  if (toolkit === null) {
    return none(
      "unusable",
      "the chips and their driver are there, CANN is not installed (no ascend-toolkit, no ASCEND_HOME_PATH)",
    );
  }
  const driver = versionIn(machine.read(DRIVER_VERSION)) ?? "of unknown version";
  return {
    status: "yes",
    reason: "",
    chips: nodes.map((node) => ({ name: `Ascend ${node}`, ids: [] })),
    driver,
    toolkit,
  };
}

function toolkitVersion(machine: Machine): string | null {
  const { ASCEND_HOME_PATH: home } = machine.env;
  const folder = [...(home ? [home] : []), ...TOOLKITS].find((candidate) => machine.exists(candidate));
  if (folder === undefined) return null;
  const files = ["version.cfg", "compiler/version.info", "runtime/version.info", "opp/version.info"];
  const found = files.map((file) => versionIn(machine.read(`${folder}/${file}`))).find((version) => version !== null);
  return found ?? "of unknown version";
}

/** `Version=25.3.RC1`, or the version in a list such as `runtime_running_version=[7.7.0.1.238:8.3.RC1]`. */
function versionIn(text: string | null): string | null {
  const match = /^\s*Version\s*=\s*(\S+)/im.exec(text ?? "") ?? /:(\d+\.\d+\.[\w.]+)\]/.exec(text ?? "");
  return match ? match[1] : null;
}
