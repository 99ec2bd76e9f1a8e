import { reasonOf } from "../host/errors.js";
import type { Registry } from "../host/registry/kind.js";
import { labelOfOwner } from "../host/registry/owner-scope.js";
import type { Platform, PlatformFactory, ProbeResult } from "./platform.js";

/** Detection order of a platform that names none. */
export const ACCELERATOR_PRIORITY = 100;

/** A registered platform, made but not probed. */
export interface OpenedPlatform {
  /** Registry key. */
  readonly vendor: string;
  readonly priority: number;
  /** Who registered it, `name@version`. */
  readonly owner: string;
  /** Null when its factory failed; `failure` says how. */
  readonly platform: Platform | null;
  readonly failure: string | null;
}

/** A registered platform and what its probe found. */
export interface ProbeRecord extends OpenedPlatform {
  readonly result: ProbeResult;
}

/** Makes every registered platform, in detection order. */
export async function openPlatforms(platforms: Registry<PlatformFactory>): Promise<OpenedPlatform[]> {
  const entries = platforms
    .items()
    .flatMap(({ item, keys, owner }) => keys.map((vendor) => ({ item, vendor, owner: labelOfOwner(owner) })))
    .map((entry) => ({ ...entry, priority: entry.item.priority ?? ACCELERATOR_PRIORITY }))
    .sort((a, b) => a.priority - b.priority);
  const opened: OpenedPlatform[] = [];
  for (const { item, ...entry } of entries) {
    try {
      opened.push({ ...entry, platform: await item.create(), failure: null });
    } catch (error) {
      opened.push({ ...entry, platform: null, failure: `its factory failed: ${reasonOf(error)}` });
    }
  }
  return opened;
}

/** A platform that throws is unusable, not absent. */
export async function probeOpened(opened: OpenedPlatform): Promise<ProbeRecord> {
  const { platform, failure } = opened;
  if (platform === null) return { ...opened, result: { status: "unusable", reason: failure ?? "" } };
  try {
    return { ...opened, result: await platform.probe() };
  } catch (error) {
    return { ...opened, result: { status: "unusable", reason: `its probe failed: ${reasonOf(error)}` } };
  }
}

/** Makes and probes every registered platform, in detection order: for `verl doctor`. */
export async function probePlatforms(platforms: Registry<PlatformFactory>): Promise<ProbeRecord[]> {
  const opened = await openPlatforms(platforms);
  return Promise.all(opened.map(probeOpened));
}

/** Every name under which a platform may be asked for: key, vendor, device, aliases; lower case. */
export function namesOf({ vendor, platform }: OpenedPlatform): string[] {
  const names = platform ? [vendor, platform.vendorName, platform.deviceName, ...platform.aliases] : [vendor];
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
