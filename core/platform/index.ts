/** Public entry of the room: the platform contract and the choice of a platform. */
export { choosePlatform, type PlatformChoice, type PlatformWishes, type WhyIdle } from "./choose.js";
export { deviceEnv, type MaskedDevice, maskEntries, visibleDevices } from "./device-mask.js";
export { platformErrors } from "./errors.js";
export { type Machine, type MachineOptions, openMachine, type ToolResult } from "./machine.js";
export { type PciDevice, pciAccelerators } from "./pci.js";
export type * from "./platform.js";
export { ACCELERATOR_PRIORITY, namesOf, type ProbeRecord, probePlatforms } from "./probe.js";
