import type { Registry } from "../host/registry/kind.js";
import type { Awaitable, Logger } from "../host/types.js";
import { didYouMean } from "../host/util/nearest.js";
import { platformErrors } from "./errors.js";
import type { Platform, PlatformFactory } from "./platform.js";
import { namesOf, type OpenedPlatform, openPlatforms, type ProbeRecord, probeOpened } from "./probe.js";

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
}

/** Why nothing could compute on a usable platform, in words; null where something can. */
export type WhyIdle = (platform: Platform) => Awaitable<string | null>;

/**
 * The platform of this process: the one that was named, else the first one by priority that is usable and has something to
 * compute on it (`whyIdle`). Names are vendors; device names and aliases stand for the vendors that have them. Several claims at
 * one priority need an explicit choice. Only platforms that matter are probed.
 */
export async function choosePlatform(
  platforms: Registry<PlatformFactory>,
  wishes: PlatformWishes,
  logger: Logger,
  whyIdle: WhyIdle = () => null,
): Promise<PlatformChoice> {
  const opened = await openPlatforms(platforms);
  const wish = wishOf(wishes);
  return wish === null ? detect(opened, logger, whyIdle) : named(opened, wish);
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

async function named(opened: readonly OpenedPlatform[], wish: Wish): Promise<PlatformChoice> {
  const byVendor = opened.filter((p) => p.vendor.toLowerCase() === wish.name);
  const candidates = byVendor.length > 0 ? byVendor : opened.filter((p) => namesOf(p).includes(wish.name));
  if (candidates.length === 0) throw unknown(wish, opened);
  const probes = await probeAll(candidates);
  const usable = probes.filter(isUsable);
  if (usable.length === 0) throw unusable(wish, probes);
  return theOnly(
    usable.filter((p) => p.priority === usable[0].priority),
    `${wish.source}=${wish.name}`,
  );
}

async function detect(opened: readonly OpenedPlatform[], logger: Logger, whyIdle: WhyIdle): Promise<PlatformChoice> {
  const all: ProbeRecord[] = [];
  const unusable: string[] = [];
  const idle: string[] = [];
  const chosen = (candidates: readonly ProbeRecord[], passed: readonly string[]) => {
    const choice = theOnly(candidates, "detected");
    for (const note of passed) logger.warn(`platform ${note}; using ${choice.vendor}`);
    return choice;
  };
  for (const priority of new Set(opened.map((p) => p.priority))) {
    const probes = await probeAll(opened.filter((p) => p.priority === priority));
    const busy: ProbeRecord[] = [];
    for (const probe of probes) {
      const { vendor, result, platform } = probe;
      if (result.status === "unusable") unusable.push(`${vendor} is there but cannot be used: ${result.reason}`);
      if (!isUsable(probe)) continue;
      const why = await whyIdle(platform as Platform);
      if (why === null) busy.push(probe);
      else idle.push(`${vendor} is there (${result.reason}) but nothing can compute on it: ${why}`);
    }
    if (busy.length > 0) return chosen(busy, [...unusable, ...idle]);
    all.push(...probes);
  }
  // Nothing computes anywhere: the lookup of the engine says what is missing.
  const usable = all.filter(isUsable);
  if (usable.length > 0)
    return chosen(
      usable.filter(({ priority }) => priority === usable[0].priority),
      unusable,
    );
  throw platformErrors.VERL_PLATFORM_NONE({ what: "No platform can be used.", why: findings(all) });
}

const isUsable = (probe: ProbeRecord) => probe.result.status === "yes";

/** One of several usable ones of the same priority must have been named. */
function theOnly(usable: readonly ProbeRecord[], reason: string): PlatformChoice {
  if (usable.length > 1) {
    throw platformErrors.VERL_PLATFORM_AMBIGUOUS({
      what: `Several platforms can be used: ${usable.map((p) => `${p.vendor} (${p.owner})`).join(", ")}.`,
      why: findings(usable),
      fix: `Set VERL_PLATFORM to one of ${usable.map((p) => p.vendor).join(", ")}.`,
      data: { candidates: usable.map((p) => p.vendor) },
    });
  }
  const [{ platform, vendor }] = usable;
  return { platform: platform as Platform, vendor, reason };
}

function unknown({ name, source }: Wish, opened: readonly OpenedPlatform[]): Error {
  const known = opened.map((p) => p.vendor);
  const aliases = opened.flatMap((p) =>
    namesOf(p)
      .filter((n) => n !== p.vendor.toLowerCase())
      .map((n) => `${n} (${p.vendor})`),
  );
  return platformErrors.VERL_PLATFORM_UNKNOWN({
    what: `${source} names "${name}", and no such platform is registered.${didYouMean(name, opened.flatMap(namesOf))}`,
    why: `Known: ${known.join(", ") || "none"}.${aliases.length > 0 ? ` Device names: ${aliases.join(", ")}.` : ""}`,
    data: { name, known },
  });
}

function unusable({ name, source }: Wish, probes: readonly ProbeRecord[]): Error {
  return platformErrors.VERL_PLATFORM_UNUSABLE({
    what: `${source} names "${name}", which cannot be used in this process.`,
    why: findings(probes),
    data: { name },
  });
}

async function probeAll(opened: readonly OpenedPlatform[]): Promise<ProbeRecord[]> {
  const records: ProbeRecord[] = [];
  for (const platform of opened) records.push(await probeOpened(platform));
  return records;
}

function findings(probes: readonly ProbeRecord[]): string {
  return probes.map((p) => `${p.vendor}: ${p.result.reason}`).join("; ") || "none is registered";
}
