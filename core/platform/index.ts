/** Public entry of the room: the platform contract and the choice of a platform. */
export { choosePlatform, type PlatformChoice, type PlatformWishes } from "./choose.js";
export { deviceEnv, visibleDevices } from "./device-mask.js";
export { platformErrors } from "./errors.js";
export type * from "./platform.js";
export { ACCELERATOR_PRIORITY, namesOf, type ProbeRecord, probePlatforms } from "./probe.js";
