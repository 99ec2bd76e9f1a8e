import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import type { Diagnosis } from "../../core/plugin.js";

/** Two times of one moment, in ms: by the calendar, and by a clock that nobody can set. */
export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export interface ClockEvidence {
  readonly before: ClockReading;
  readonly after: ClockReading;
  /** How far the file system of the checkpoints is ahead, in ms; null where nothing can be written there. */
  readonly fileSkewMs: number | null;
  /** What servers said, by their names. */
  readonly servers: readonly Pick<Diagnosis, "name" | "skewMs">[];
}

/** No clock that is right shows an earlier time: this version came later. */
const EARLIEST = Date.UTC(2026, 10, 1);
const LATEST = Date.UTC(2100, 0, 1);
/** A clock that is set while we look. */
const JUMP_MS = 1000;
/** Some file systems count in steps of two seconds. */
const FILE_MS = 5000;
/** Servers count whole seconds, and an answer takes its time. */
const SERVER_MS = 30_000;
/** Beyond it signed requests are refused, and certificates may look invalid. */
const REFUSED_MS = 5 * 60_000;

const SET = "Set the clock of this machine, e.g. by NTP (timedatectl set-ntp true).";

export const readClock = (): ClockReading => ({ wallMs: Date.now(), monotonicMs: performance.now() });

/** Whether the clock can be right, is left alone, and agrees with the file system and with the servers of the configuration. */
export function diagnoseClock({ before, after, fileSkewMs, servers }: ClockEvidence): Diagnosis[] {
  const now = new Date(after.wallMs);
  const shown = now.toISOString().slice(0, 19).replace("T", " ");
  const name = "clock";
  if (after.wallMs < EARLIEST || after.wallMs > LATEST) {
    const detail = `it says ${shown} UTC, which cannot be: certificates, signed requests and the times of runs are wrong`;
    return [{ name, status: "failed", detail, fix: SET }];
  }
  const findings: Diagnosis[] = [];
  const jump = after.wallMs - before.wallMs - (after.monotonicMs - before.monotonicMs);
  if (Math.abs(jump) > JUMP_MS) {
    const detail = `it was set ${spanText(jump)} ${jump > 0 ? "ahead" : "back"} while doctor looked`;
    findings.push({ name, status: "warning", detail, fix: "Find out what sets it, and let one service do so." });
  }
  if (fileSkewMs !== null && Math.abs(fileSkewMs) > FILE_MS) {
    const detail = `the file system of the checkpoints is ${aheadText(fileSkewMs)} this machine: whether a lock of another machine is old is judged by it`;
    findings.push({ name, status: "warning", detail, fix: "Set the clocks of this machine and of the file server." });
  }
  findings.push(...servers.flatMap((server) => diagnoseSkew(server, servers)));
  if (findings.length > 0) return findings;
  const measured = servers.filter(({ skewMs }) => skewMs !== undefined).length;
  const agrees = [
    ...(fileSkewMs === null ? [] : ["the file system"]),
    ...(measured === 0 ? [] : [`${measured} ${measured === 1 ? "server" : "servers"}`]),
  ];
  const say = agrees.length > 1 || measured > 1 ? "say" : "says";
  const detail = `${shown} UTC${agrees.length === 0 ? "" : `, as ${agrees.join(" and ")} ${say}`}`;
  return [{ name, status: "ok", detail }];
}

function diagnoseSkew({ name: server, skewMs = 0 }: Pick<Diagnosis, "name" | "skewMs">, all: ClockEvidence["servers"]) {
  if (Math.abs(skewMs) <= SERVER_MS) return [];
  // Where others agree with this machine, it is the server's clock.
  const agree = all.some((other) => other.skewMs !== undefined && Math.abs(other.skewMs) <= SERVER_MS);
  const refused = Math.abs(skewMs) > REFUSED_MS ? "; signed requests and tokens may be refused" : "";
  const detail = `${server} is ${aheadText(skewMs)} this machine${refused}`;
  const fix = agree ? `Set the clock of ${server}: others agree with this machine.` : SET;
  return [{ name: "clock", status: "warning", detail, fix } satisfies Diagnosis];
}

/** `42 s ahead of`, `3 minutes behind`. */
const aheadText = (ms: number): string => `${spanText(ms)} ${ms > 0 ? "ahead of" : "behind"}`;

function spanText(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  const units: readonly [limit: number, per: number, unit: string][] = [
    [120, 1, "s"],
    [7200, 60, "minutes"],
    [172_800, 3600, "hours"],
    [Number.POSITIVE_INFINITY, 86_400, "days"],
  ];
  const [, per, unit] = units.find(([limit]) => seconds < limit) as (typeof units)[number];
  return `${Number((seconds / per).toPrecision(2))} ${unit}`;
}

/** How far the clock of the file system that will hold a folder is ahead, in ms. Leaves nothing behind. */
export async function fileSkew(folder: string): Promise<number | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const file = path.join(at, `.verl-clock-${randomUUID()}`);
    try {
      const before = Date.now();
      await fs.writeFile(file, "", { flag: "wx" });
      const { mtimeMs } = await fs.stat(file);
      return Math.round(mtimeMs - (before + Date.now()) / 2);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || at === path.dirname(at)) return null;
    } finally {
      await fs.rm(file, { force: true }).catch(() => {});
    }
  }
}
