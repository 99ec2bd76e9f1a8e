import path from "node:path";
import { isVerlError } from "../../core/host/basics.js";
import {
  CONFIG_FILE,
  KEY_METRICS,
  type KeyMetric,
  METRICS_FILE,
  NOTE_FILE,
  nameOf,
  RunFolder,
  SAMPLES_FILE,
  type TrajectoryFile,
  validationScores,
} from "../../core/tracking/index.js";
import { isRunLocked, RUN_LOCK_FILE } from "../../core/trainer/run-lock.js";
import type { HeadlineValue, RunSummary } from "./answers.js";
import { Curves } from "./curves.js";
import { dashboardErrors } from "./errors.js";
import type { FoundRun } from "./find-runs.js";
import { Rollouts } from "./rollouts.js";
import type { Roots } from "./roots.js";

const HEADLINE: readonly KeyMetric[] = ["reward", "length", "entropy", "kl", "throughput", "loss"];
const SPARK = 40;
const SPLITS = ["train", "val"] as const;
/** A configuration or note that is larger was not written by a run. */
const MAX_TEXT = 8 << 20;
/** How long the list waits for the metrics of one run before it shows what there is so far. */
const PATIENCE_MS = 1500;

/** One run as requests see it: its files, followed while they grow. */
export class LiveRun {
  readonly curves: Curves;
  readonly rollouts = new Rollouts();
  #folder: { readonly signature: string; readonly open: Promise<RunFolder> } | null = null;

  constructor(
    readonly found: FoundRun,
    private readonly roots: Roots,
  ) {
    this.curves = new Curves(this.metricsFile);
  }

  get metricsFile(): string {
    return path.join(this.found.dir, METRICS_FILE);
  }

  async hasMetrics(): Promise<boolean> {
    return (await this.roots.file(this.metricsFile)) !== null;
  }

  async refreshCurves(): Promise<void> {
    if (await this.hasMetrics()) await this.curves.refresh();
  }

  async summary(): Promise<RunSummary> {
    const { id, name } = this.found;
    let problem: string | null = null;
    const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
      try {
        return await work();
      } catch (error) {
        problem ??= problemText(error);
        return null;
      }
    };
    await attempt(() => within(PATIENCE_MS, this.refreshCurves()));
    const note = await attempt(async () => (await this.folder()).note);
    const folder = await attempt(async () => {
      const opened = await this.folder();
      return opened.config && opened;
    });
    const metrics = await attempt(() => this.roots.file(this.metricsFile));
    const { store } = this.curves;
    const total = folder?.setting("trainer.total_training_steps");
    const text = (key: string) => textOf(folder?.setting(key));
    const lastStep = store.names().length > 0 ? store.lastStep : null;
    const totalSteps = typeof total === "number" ? total : null;
    const ended = lastStep !== null && totalSteps !== null && lastStep >= totalSteps ? "completed" : "stopped";
    return {
      id,
      name,
      project: text("trainer.project_name"),
      experiment: folder?.experimentName ?? null,
      status: (await attempt(() => this.#isRunning())) ? "running" : ended,
      lastStep,
      totalSteps,
      startedAt: textOf(note?.startedAt),
      updatedAt: metrics?.stats.mtime.toISOString() ?? null,
      headline: this.#headline(),
      reading: this.curves.isReading,
      badLines: this.curves.badLines,
      problem,
    };
  }

  /** Configuration and note; read anew when they have changed. */
  async folder(): Promise<RunFolder> {
    const files = await Promise.all([CONFIG_FILE, NOTE_FILE].map((name) => this.#small(name)));
    const signature = files.map((file) => (file ? `${file.stats.mtimeMs} ${file.stats.size}` : "")).join("|");
    if (this.#folder?.signature !== signature) this.#folder = { signature, open: RunFolder.open(this.found.dir) };
    return this.#folder.open;
  }

  /** Trajectory files inside the folders that are shown, and whether there are others. */
  async trajectoryFiles(): Promise<{ readonly files: readonly TrajectoryFile[]; readonly outside: boolean }> {
    const folder = await this.folder();
    const files: TrajectoryFile[] = [];
    let outside = false;
    for (const file of await folder.trajectoryFiles()) {
      try {
        if (await this.roots.file(file.file)) files.push(file);
      } catch (error) {
        if (!isOutside(error)) throw error;
        outside = true;
      }
    }
    if (!outside) return { files, outside };
    // A split whose dumps may not be shown is seen in the samples.
    const dumps = files.filter(({ step }) => step !== null);
    const missing = SPLITS.filter((split) => !dumps.some((dump) => dump.split === split));
    const samples = await this.roots.file(path.join(this.found.dir, SAMPLES_FILE));
    if (samples && missing.length > 0) {
      dumps.push({ file: samples.path, split: missing.length === 1 ? missing[0] : null, step: null });
    }
    return { files: dumps, outside };
  }

  async #small(name: string) {
    const file = await this.roots.file(path.join(this.found.dir, name));
    if (file && file.stats.size > MAX_TEXT) {
      throw dashboardErrors.VERL_DASHBOARD_BAD_REQUEST({
        what: `${name} of the run is too large to be shown.`,
        fix: "A run writes a small one; restore it.",
      });
    }
    return file;
  }

  async #isRunning(): Promise<boolean> {
    return (await this.roots.file(path.join(this.found.dir, RUN_LOCK_FILE))) !== null && isRunLocked(this.found.dir);
  }

  #headline(): HeadlineValue[] {
    const { store } = this.curves;
    const scores = validationScores(store.names()).slice(0, 2);
    const chosen = [
      ...scores.map(({ name }) => ({ kind: "validation" as const, name })),
      ...HEADLINE.flatMap((kind) => {
        const name = nameOf(kind, (candidate) => store.has(candidate));
        return name === null ? [] : [{ kind, name }];
      }),
    ];
    return chosen.flatMap(({ kind, name }) => {
      const series = store.get(name);
      if (!series?.last) return [];
      const values = series.points().map(({ value }) => value);
      return [{ kind, name, last: series.last.value, spark: thin(values, SPARK) }];
    });
  }
}

/** The names under which what people look at first is logged. */
export const KEY_NAMES: readonly string[] = Object.values(KEY_METRICS).flat();

function thin(values: readonly number[], count: number): number[] {
  const kept =
    values.length <= count
      ? values
      : Array.from({ length: count }, (_, i) => values[Math.round((i * (values.length - 1)) / (count - 1))]);
  return kept.map((value) => Number(value.toPrecision(4)));
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, patience]).finally(() => clearTimeout(timer));
}

const isOutside = (error: unknown) => isVerlError(error) && error.code === "VERL_DASHBOARD_OUTSIDE";
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
const problemText = (error: unknown): string =>
  isVerlError(error) ? `${error.code}: ${error.what}` : error instanceof Error ? error.message : String(error);
