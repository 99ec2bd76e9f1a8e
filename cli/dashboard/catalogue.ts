import { dashboardErrors } from "./errors.js";
import { type FoundRun, findRuns } from "./find-runs.js";
import { LiveRun, type RunSummary } from "./live-run.js";
import type { Roots } from "./roots.js";

/** Runs whose curves are kept in memory at a time. */
const KEPT = 64;
/** Of how many runs files are read at once. */
const READERS = 4;
const RESCAN_MS = 3000;

/** The runs of the folders that are shown, by their ids. */
export class Catalogue {
  #found = new Map<string, FoundRun>();
  /** In the order of their last use. */
  readonly #live = new Map<string, LiveRun>();
  #scannedAt = Number.NEGATIVE_INFINITY;
  #scan: Promise<void> | null = null;

  constructor(readonly roots: Roots) {}

  async summaries(): Promise<RunSummary[]> {
    await this.#rescan();
    const waiting = [...this.#found.keys()];
    const summaries = new Map<string, RunSummary>();
    const read = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const run = this.#get(id);
        if (run) summaries.set(id, await run.summary());
      }
    };
    await Promise.all(Array.from({ length: READERS }, read));
    return [...this.#found.keys()].flatMap((id) => summaries.get(id) ?? []);
  }

  /** `VERL_DASHBOARD_NOT_FOUND` for anything but the id of a run. */
  async run(id: string): Promise<LiveRun> {
    if (!this.#found.has(id)) await this.#rescan();
    const run = this.#get(id);
    if (run) return run;
    throw dashboardErrors.VERL_DASHBOARD_NOT_FOUND({
      what: `There is no run with the id ${JSON.stringify(id.slice(0, 64))}.`,
    });
  }

  #get(id: string): LiveRun | null {
    const found = this.#found.get(id);
    if (!found) return null;
    const run = this.#live.get(id) ?? new LiveRun(found, this.roots);
    this.#live.delete(id);
    this.#live.set(id, run);
    if (this.#live.size > KEPT) this.#live.delete(this.#live.keys().next().value as string);
    return run;
  }

  async #rescan(): Promise<void> {
    if (performance.now() - this.#scannedAt < RESCAN_MS) return;
    this.#scan ??= findRuns(this.roots.dirs)
      .then((runs) => {
        this.#found = new Map(runs.map((run) => [run.id, run]));
        for (const id of this.#live.keys()) if (!this.#found.has(id)) this.#live.delete(id);
        this.#scannedAt = performance.now();
      })
      .finally(() => {
        this.#scan = null;
      });
    await this.#scan;
  }
}
