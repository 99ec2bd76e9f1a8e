import { readFileSync } from "node:fs";
import os from "node:os";

export interface Figures {
  readonly median: number;
  readonly min: number;
}

/** Median and least of some values, at least one. */
export function summary(values: readonly number[]): Figures {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return { median: sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2, min: sorted[0] };
}

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What times depend on besides the code. */
export function machine(): string {
  const cpu = os.cpus()[0]?.model ?? "unknown CPU";
  return `${cpu}, ${os.cpus().length} cores, Node ${process.versions.node}, load ${os.loadavg()[0].toFixed(1)}`;
}

/** Resident memory of this process now and at its highest, in MiB; Linux. */
export function residentMiB(): { readonly now: number; readonly peak: number } {
  const status = readFileSync("/proc/self/status", "utf8");
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: field("VmRSS"), peak: field("VmHWM") };
}
