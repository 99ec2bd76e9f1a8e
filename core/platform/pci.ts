import type { Machine } from "./machine.js";

export interface PciDevice {
  /** E.g. `0000:17:00.0`. */
  readonly address: string;
  /** E.g. `0x10de`. */
  readonly vendor: string;
  readonly device: string;
  /** Base and sub-class, e.g. `0x0302`. */
  readonly class: string;
}

/** Display controllers, and processing accelerators. */
const ACCELERATOR_CLASSES = ["0x03", "0x12"];

/** Chips of a vendor on the PCI bus, driver or none, as Linux lists them; other systems list none. */
export function pciAccelerators(machine: Machine, vendor: string): PciDevice[] {
  const folder = "/sys/bus/pci/devices";
  return machine.list(folder).flatMap((address) => {
    const read = (name: string) => machine.read(`${folder}/${address}/${name}`)?.toLowerCase() ?? "";
    const device = { address, vendor: read("vendor"), device: read("device"), class: read("class").slice(0, 6) };
    const counts = device.vendor === vendor && ACCELERATOR_CLASSES.some((prefix) => device.class.startsWith(prefix));
    return counts ? [device] : [];
  });
}
