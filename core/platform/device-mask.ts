import { platformErrors } from "./errors.js";
import type { Platform } from "./platform.js";

/** A device as a mask may name it. */
export interface MaskedDevice {
  /** Identifiers beside the index, e.g. `GPU-8932f937-…`; a mask may give the beginning of one. */
  readonly ids: readonly string[];
}

/**
 * The entries of a mask such as `CUDA_VISIBLE_DEVICES`, in its order; null without a mask. As the drivers read it: an empty
 * mask, or one that begins with −1, lets nothing through, and what follows an empty or negative entry does not count.
 */
export function maskEntries(mask: string | undefined): readonly string[] | null {
  if (mask === undefined) return null;
  const entries = mask.split(",").map((entry) => entry.trim());
  const end = entries.findIndex((entry) => entry === "" || /^-\d/.test(entry));
  return end < 0 ? entries : entries.slice(0, end);
}

/**
 * The devices that a mask lets through, in its order, all without one. An entry that names no device, or one named before,
 * ends the list. Parts of a chip (`MIG-…`) count as devices; which chip they are of is not always known.
 */
export function visibleDevices<D extends MaskedDevice>(mask: string | undefined, devices: readonly D[]): D[] {
  const visible: D[] = [];
  for (const entry of maskEntries(mask) ?? devices.keys()) {
    const text = String(entry).toLowerCase();
    const found = text.startsWith("mig-") ? chipOf(text, devices) : deviceOf(text, devices, visible);
    if (!found) break;
    visible.push(found);
  }
  return visible;
}

function deviceOf<D extends MaskedDevice>(entry: string, devices: readonly D[], taken: readonly D[]): D | undefined {
  const free = (device: D | undefined) => (device && !taken.includes(device) ? device : undefined);
  if (/^\d+$/.test(entry)) return free(devices[Number(entry)]);
  const named = devices.filter(({ ids }) => ids.some((id) => id.toLowerCase().startsWith(entry)));
  if (named.length > 0) return named.length === 1 ? free(named[0]) : undefined;
  // Where nobody knows the identifiers, one that looks right is believed.
  return entry.startsWith("gpu-") ? devices.find((device) => device.ids.length === 0 && free(device)) : undefined;
}

/** `MIG-GPU-<id>/…` names its chip, `MIG-<id>` does not. */
function chipOf<D extends MaskedDevice>(entry: string, devices: readonly D[]): D | undefined {
  const chip = /^mig-(gpu-[^/]+)/.exec(entry)?.[1];
  return chip === undefined ? devices[0] : deviceOf(chip, devices, []);
}

/** For each rank the variables that leave it one device of the platform; none where processes share the device. */
export async function deviceEnv(
  platform: Platform,
  env: Readonly<Record<string, string | undefined>>,
  ranks: number,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const { visibleDevicesEnv: variable, vendorName } = platform;
  if (variable === null) return Array.from({ length: ranks }, () => ({}));
  const count = await platform.deviceCount();
  const { [variable]: mask } = env;
  if (count < ranks) {
    throw platformErrors.VERL_PLATFORM_TOO_FEW_DEVICES({
      what: `${ranks} training processes need a device each, and ${vendorName} has ${count}`,
      where: mask === undefined ? undefined : `${variable}=${mask}`,
    });
  }
  const entries = maskEntries(mask);
  return Array.from({ length: ranks }, (_, rank) => ({ [variable]: entries ? entries[rank] : String(rank) }));
}
