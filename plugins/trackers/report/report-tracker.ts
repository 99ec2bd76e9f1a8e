import { existsSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../../../core/host/basics.js";
import {
  type PlannedRun,
  type ProgressUpdate,
  type RunInfo,
  reasonOf,
  type Tracker,
  type TrackerFactory,
  type TrajectoryRecord,
} from "../../../core/plugin.js";
import {
  METRICS_FILE,
  readMetrics,
  readTrajectories,
  replaceFile,
  SAMPLES_FILE,
  SampleStore,
  SeriesStore,
  unmask,
} from "../../../core/tracking/index.js";
import { checkPlace } from "../place.js";
import { type Page, renderPage } from "./page.js";

const REPORT_FILE = "report.html";
/** Shortest time between two versions of the page while the run goes on. */
const INTERVAL_MS = 5000;

/** `report.html` in the run's folder: one file that shows the run, kept up to date. */
export class ReportTracker implements Tracker {
  readonly name = "report";
  readonly #store = new SeriesStore();
  readonly #samples = new SampleStore();
  readonly #startedAt = performance.now();
  #run: RunInfo | null = null;
  #nextWrite = 0;
  #hasBegun = false;
  /** Step that was worked on last. */
  #begun = 0;

  async check({ outputDir }: PlannedRun): Promise<void> {
    const file = path.join(outputDir, REPORT_FILE);
    await checkPlace({ tracker: this.name, file, chosenBy: "trainer.output_dir" });
  }

  async start(run: RunInfo): Promise<void> {
    await makeFolder(run.outputDir);
    this.#run = run;
  }

  async begin(): Promise<void> {
    const run = this.#run;
    if (!run || this.#hasBegun) return;
    if (run.startStep > 0) await this.#recall(run);
    this.#hasBegun = true;
    await this.#write("running");
  }

  async log(metrics: Readonly<Record<string, number>>, step: number): Promise<void> {
    await this.begin();
    this.#store.log(metrics, step);
    if (performance.now() >= this.#nextWrite) await this.#write("running");
  }

  progress({ step }: ProgressUpdate): void {
    this.#begun = Math.max(this.#begun, step);
  }

  logTrajectories(records: readonly TrajectoryRecord[]): void {
    this.#samples.add(records);
  }

  async finish({ exitCode, error }: { exitCode: number; error?: unknown }): Promise<void> {
    const run = this.#run;
    if (!run || !this.#hasBegun) return;
    const ended = this.#store.lastStep >= run.totalSteps ? "completed" : "stopped";
    const text = error === undefined ? null : reasonOf(error).slice(0, 4000);
    await this.#write(exitCode === 0 ? ended : "failed", text);
  }

  /** The curves and samples of the run's earlier part, from the files beside the report. */
  async #recall(run: RunInfo): Promise<void> {
    const isEarlier = (step: number) => step < run.startStep || (step === run.startStep && !run.logsStartStepAgain);
    try {
      for (const { step, data } of await readMetrics(path.join(run.outputDir, METRICS_FILE))) {
        if (!isEarlier(step)) continue;
        const metrics = Object.entries(data).map(([name, value]) => [name, unmask(value)] as const);
        this.#store.log(Object.fromEntries(metrics), step);
      }
      const samples = path.join(run.outputDir, SAMPLES_FILE);
      if (!existsSync(samples)) return;
      for await (const record of readTrajectories(samples)) if (isEarlier(record.step)) this.#samples.add([record]);
    } catch (error) {
      run.logger.warn(`the report starts at step ${run.startStep}: ${reasonOf(error)}`);
    }
  }

  async #write(status: Page["status"], error: string | null = null): Promise<void> {
    const run = this.#run;
    if (!run) return;
    const begun = performance.now();
    const page = renderPage({
      projectName: run.projectName,
      experimentName: run.experimentName,
      totalSteps: run.totalSteps,
      status,
      begunStep: this.#begun,
      error,
      seconds: (begun - this.#startedAt) / 1000,
      updatedAt: new Date(),
      store: this.#store,
      samples: this.#samples.all(),
      config: run.config,
    });
    const file = path.join(run.outputDir, REPORT_FILE);
    // If it fails the earlier version stays, and nothing beside it: on a full disk its place is wanted.
    await replaceFile(file, page);
    const now = performance.now();
    // A large page on a slow disk must not cost more than a few percent of the run.
    this.#nextWrite = now + Math.max(INTERVAL_MS, 30 * (now - begun));
  }
}

export const reportTracker: TrackerFactory = { name: "report", create: () => new ReportTracker() };
