import { reasonOf } from "../host/errors.js";
import type { Registry } from "../host/kind.js";
import { labelOfOwner } from "../host/owner-scope.js";
import type { Platform, PlatformFactory, ProbeResult } from "./platform.js";

/** Detection order of a platform that names none. */
export const ACCELERATOR_PRIORITY = 100;

/** A registered platform and what its probe found; kept for `verl doctor`. */
export interface ProbeRecord {
  /** Registry key. */
  readonly vendor: string;
  readonly priority: number;
  /** Who registered it, `name@version`. */
  readonly owner: string;
  /** Null when its factory failed; `result` says how. */
  readonly platform: Platform | null;
  readonly result: ProbeResult;
}

/** Makes and probes every registered platform, in detection order. A platform that throws is unusable, not absent. */
export async function probePlatforms(platforms: Registry<PlatformFactory>): Promise<ProbeRecord[]> {
  const entries = platforms
    .items()
    .flatMap(({ item, keys, owner }) => keys.map((vendor) => ({ item, vendor, owner: labelOfOwner(owner) })))
    .map((entry) => ({ ...entry, priority: entry.item.priority ?? ACCELERATOR_PRIORITY }))
    .sort((a, b) => a.priority - b.priority);
  const records: ProbeRecord[] = [];
  for (const { item, vendor, owner, priority } of entries)
    records.push({ vendor, priority, owner, ...(await probe(item)) });
  return records;
}

/** Every name under which a probed platform may be asked for: key, vendor, device, aliases; lower case. */
export function namesOf({ vendor, platform }: ProbeRecord): string[] {
  const names = platform ? [vendor, platform.vendorName, platform.deviceName, ...platform.aliases] : [vendor];
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

async function probe(factory: PlatformFactory): Promise<Pick<ProbeRecord, "platform" | "result">> {
  let platform: Platform | null = null;
  try {
    platform = await factory.create();
    return { platform, result: await platform.probe() };
  } catch (error) {
    const step = platform === null ? "its factory" : "its probe";
    return { platform, result: { status: "unusable", reason: `${step} failed: ${reasonOf(error)}` } };
  }
}
