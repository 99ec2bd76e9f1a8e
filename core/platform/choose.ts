import type { Registry } from "../host/kind.js";
import { didYouMean } from "../host/nearest.js";
import type { Logger } from "../host/types.js";
import { platformErrors } from "./errors.js";
import type { Platform, PlatformFactory } from "./platform.js";
import { namesOf, type ProbeRecord, probePlatforms } from "./probe.js";

/** Who named a platform, and how. The first that is set wins. */
export interface PlatformWishes {
  /** `VERL_PLATFORM`: a vendor, or a device name. */
  readonly platform?: string | null;
  /** `trainer.device`; `auto` and null leave the choice to detection. */
  readonly device?: string | null;
}

export interface PlatformChoice {
  readonly platform: Platform;
  /** Registry key. */
  readonly vendor: string;
  /** Why this one, in words. */
  readonly reason: string;
  readonly probes: readonly ProbeRecord[];
}

/**
 * The platform of this process: the one that was named, else the first usable one by priority. Names are vendors;
 * device names and aliases stand for the vendors that have them. Several claims at one priority need an explicit choice.
 */
export async function choosePlatform(
  platforms: Registry<PlatformFactory>,
  wishes: PlatformWishes,
  logger: Logger,
): Promise<PlatformChoice> {
  const probes = await probePlatforms(platforms);
  const wish = wishOf(wishes);
  if (wish === null) return detect(probes, "detected", logger);
  const byVendor = probes.filter((p) => p.vendor.toLowerCase() === wish.name);
  const named = byVendor.length > 0 ? byVendor : probes.filter((p) => namesOf(p).includes(wish.name));
  if (named.length === 0) throw unknown(wish, probes);
  const usable = named.filter((p) => p.result.status === "yes");
  if (usable.length === 0) throw unusable(wish, named);
  return detect(usable, `${wish.source}=${wish.name}`, logger, probes);
}

interface Wish {
  readonly name: string;
  readonly source: string;
}

function wishOf({ platform, device }: PlatformWishes): Wish | null {
  const name = platform?.trim().toLowerCase();
  if (name) return { name, source: "VERL_PLATFORM" };
  const kind = device?.trim().toLowerCase();
  return kind && kind !== "auto" ? { name: kind, source: "trainer.device" } : null;
}

/** The first usable candidate by priority, which must be alone at its priority. */
function detect(
  candidates: readonly ProbeRecord[],
  reason: string,
  logger: Logger,
  probes = candidates,
): PlatformChoice {
  const usable = candidates.filter((p) => p.result.status === "yes");
  if (usable.length === 0) {
    throw platformErrors.VERL_PLATFORM_NONE({ what: "No platform can be used.", why: findings(candidates) });
  }
  const [first] = usable;
  const rivals = usable.filter((p) => p.priority === first.priority);
  if (rivals.length > 1) {
    throw platformErrors.VERL_PLATFORM_AMBIGUOUS({
      what: `Several platforms can be used: ${rivals.map((p) => `${p.vendor} (${p.owner})`).join(", ")}.`,
      why: findings(rivals),
      fix: `Set VERL_PLATFORM to one of ${rivals.map((p) => p.vendor).join(", ")}.`,
      data: { candidates: rivals.map((p) => p.vendor) },
    });
  }
  for (const passed of candidates.slice(0, candidates.indexOf(first))) {
    if (passed.result.status === "unusable") {
      logger.warn(
        `platform ${passed.vendor} is there but cannot be used: ${passed.result.reason}; using ${first.vendor}`,
      );
    }
  }
  return { platform: first.platform!, vendor: first.vendor, reason, probes };
}

function unknown({ name, source }: Wish, probes: readonly ProbeRecord[]): Error {
  const known = probes.map((p) => p.vendor);
  const aliases = probes.flatMap((p) =>
    namesOf(p)
      .filter((n) => n !== p.vendor.toLowerCase())
      .map((n) => `${n} (${p.vendor})`),
  );
  return platformErrors.VERL_PLATFORM_UNKNOWN({
    what: `${source} names "${name}", and no such platform is registered.${didYouMean(name, probes.flatMap(namesOf))}`,
    why: `Known: ${known.join(", ") || "none"}.${aliases.length > 0 ? ` Device names: ${aliases.join(", ")}.` : ""}`,
    data: { name, known },
  });
}

function unusable({ name, source }: Wish, named: readonly ProbeRecord[]): Error {
  return platformErrors.VERL_PLATFORM_UNUSABLE({
    what: `${source} names "${name}", which cannot be used in this process.`,
    why: findings(named),
    data: { name },
  });
}

function findings(probes: readonly ProbeRecord[]): string {
  return probes.map((p) => `${p.vendor}: ${p.result.reason}`).join("; ") || "none is registered";
}
