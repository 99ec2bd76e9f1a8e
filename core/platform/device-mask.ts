import { platformErrors } from "./errors.js";
import type { Platform } from "./platform.js";

/**
 * The devices that a mask such as `CUDA_VISIBLE_DEVICES` lets through, in its order: indices or identifiers. Null without a
 * mask: all of them. As the drivers read it: an empty mask, or one that begins with −1, lets nothing through, and what
 * follows a negative or empty entry does not count.
 */
export function visibleDevices(mask: string | undefined): readonly string[] | null {
  if (mask === undefined) return null;
  const entries = mask.split(",").map((entry) => entry.trim());
  const end = entries.findIndex((entry) => entry === "" || entry.startsWith("-"));
  return end < 0 ? entries : entries.slice(0, end);
}

/** For each rank the variables that leave it one device of the platform; nothing where processes share the device. */
export async function deviceEnv(
  platform: Platform,
  env: Readonly<Record<string, string | undefined>>,
  ranks: number,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const { visibleDevicesEnv: variable, vendorName } = platform;
  if (variable === null) return Array.from({ length: ranks }, () => ({}));
  const count = await platform.deviceCount();
  if (count < ranks) {
    const { [variable]: mask } = env;
    throw platformErrors.VERL_PLATFORM_TOO_FEW_DEVICES({
      what: `${ranks} training processes need a device each, and ${vendorName} has ${count}`,
      where: mask === undefined ? undefined : `${variable}=${mask}`,
    });
  }
  const visible = visibleDevices(env[variable]);
  return Array.from({ length: ranks }, (_, rank) => ({ [variable]: visible ? visible[rank] : String(rank) }));
}
