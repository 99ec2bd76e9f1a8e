import { readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second, whatever its kernel. */
const TICK_MS = 10;

/**
 * Time for which a thread has been blocked, from regular looks. What counts is what the looking thread has seen: while the
 * whole process stands still (a suspended machine, SIGSTOP) nobody looks. On Linux a thread that computes is charged for
 * its processor time, so that a busy machine makes nobody late.
 */
export class BlockedClock {
  #last = performance.now();
  #cpuMs: number | null = null;

  /** @param everyMs  time between two looks */
  constructor(private readonly everyMs: number) {}

  /** Milliseconds since the last look; `isBlocked`: whether they may count. */
  look(isBlocked: boolean): number {
    const now = performance.now();
    const passed = Math.min(now - this.#last, 2 * this.everyMs);
    this.#last = now;
    if (!isBlocked) {
      this.#cpuMs = null;
      return 0;
    }
    const main = mainThread();
    const before = this.#cpuMs;
    this.#cpuMs = main?.cpuMs ?? null;
    if (!main?.computes || before === null) return passed;
    return Math.min(passed, main.cpuMs - before);
  }
}

/** State and processor time of the main thread; null where the system does not tell. */
function mainThread(): { readonly computes: boolean; readonly cpuMs: number } | null {
  if (process.platform !== "linux") return null;
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, "latin1");
    // The name in parentheses may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { computes: fields[0] === "R", cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
  } catch {
    return null;
  }
}
