import { stat } from "node:fs/promises";
import path from "node:path";
import { CONFIG_FILE, METRICS_FILE, NOTE_FILE } from "../../core/tracking/index.js";
import { RUN_LOCK_FILE } from "../../core/trainer/run-lock.js";
import type { RunSummary } from "./answers.js";
import { dashboardErrors } from "./errors.js";
import { type FoundRun, findRuns } from "./find-runs.js";
import { LiveRun } from "./live-run.js";
import type { Roots } from "./roots.js";

/** Runs whose curves are kept in memory at a time. */
const KEPT = 64;
/** Of how many runs files are read at once. */
const READERS = 4;
const RESCAN_MS = 3000;

async function signatureOf(dir: string): Promise<string> {
  const names = [METRICS_FILE, CONFIG_FILE, NOTE_FILE, RUN_LOCK_FILE];
  const stats = await Promise.all(names.map((name) => stat(path.join(dir, name)).catch(() => null)));
  return stats.map((found) => (found ? `${found.ino} ${found.size} ${found.mtimeMs}` : "")).join("|");
}

/** The runs of the folders that are shown, by their ids. */
export class Catalogue {
  #found = new Map<string, FoundRun>();
  /** In the order of their last use. */
  readonly #live = new Map<string, LiveRun>();
  readonly #summaries = new Map<string, { readonly signature: string; readonly summary: RunSummary }>();
  #nextScan = 0;
  #scan: Promise<void> | null = null;

  constructor(readonly roots: Roots) {}

  async summaries(): Promise<RunSummary[]> {
    await this.#rescan();
    const waiting = [...this.#found.keys()];
    const summaries = new Map<string, RunSummary>();
    const read = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const summary = await this.#summary(id);
        if (summary) summaries.set(id, summary);
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

  /** Of a run whose files are as they were, the last one: not every run's curves are in memory. */
  async #summary(id: string): Promise<RunSummary | null> {
    const found = this.#found.get(id);
    if (!found) return null;
    const signature = await signatureOf(found.dir);
    const last = this.#summaries.get(id);
    if (last?.signature === signature) return last.summary;
    const summary = await this.#get(id)?.summary();
    if (!summary) return null;
    // Whether a process still holds a run's folder is in no file.
    const isFinal = summary.status !== "running" && !summary.reading;
    if (isFinal) this.#summaries.set(id, { signature, summary });
    else this.#summaries.delete(id);
    return summary;
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
    const begun = performance.now();
    if (begun < this.#nextScan) return;
    this.#scan ??= findRuns(this.roots.dirs)
      .then((runs) => {
        this.#found = new Map(runs.map((run) => [run.id, run]));
        for (const map of [this.#live, this.#summaries]) {
          for (const id of map.keys()) if (!this.#found.has(id)) map.delete(id);
        }
        const now = performance.now();
        // A search through a large tree must not become what the process does all day.
        this.#nextScan = now + Math.max(RESCAN_MS, 20 * (now - begun));
      })
      .finally(() => {
        this.#scan = null;
      });
    await this.#scan;
  }
}
