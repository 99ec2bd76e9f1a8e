import {
  BoundedSeries,
  KEY_METRICS,
  type KeyMetric,
  nameOf,
  type ProgressUpdate,
  type RunInfo,
  STALENESS,
  StepClock,
  type TrajectoryRecord,
  validationScores,
} from "../../core/tracking/index.js";

/** Lines and samples that are kept. */
const KEPT_NOTES = 200;
const KEPT_SAMPLES = 12;

export interface Note {
  readonly text: string;
  readonly isWarning: boolean;
}

/** All that the screen shows, as it comes in from the run. */
export class TuiState {
  readonly title: string;
  readonly totalSteps: number;
  readonly outputDir: string;
  readonly startedAt = performance.now();
  step: number;
  progress: ProgressUpdate | null = null;
  progressSince = performance.now();
  readonly series = new Map<string, BoundedSeries>();
  readonly samples: TrajectoryRecord[] = [];
  readonly notes: Note[] = [];
  readonly #clock: StepClock;

  constructor({
    projectName,
    experimentName,
    totalSteps,
    startStep,
    outputDir,
  }: Pick<RunInfo, "projectName" | "experimentName" | "totalSteps" | "startStep" | "outputDir">) {
    this.title = `${projectName}/${experimentName}`;
    this.totalSteps = totalSteps;
    this.outputDir = outputDir;
    this.step = startStep;
    this.#clock = new StepClock(startStep);
  }

  log(metrics: Readonly<Record<string, number>>, step: number): void {
    for (const [name, value] of Object.entries(metrics)) {
      if (!isShown(name, value)) continue;
      const series = this.series.get(name) ?? new BoundedSeries();
      this.series.set(name, series);
      series.push(step, value);
    }
    this.#clock.mark(step, metrics["timing_s/step"] ?? null);
    this.step = step;
  }

  /** The latest first. */
  addSamples(records: readonly TrajectoryRecord[]): void {
    this.samples.unshift(...[...records].reverse());
    this.samples.length = Math.min(this.samples.length, KEPT_SAMPLES);
  }

  note(text: string, isWarning: boolean): void {
    this.notes.push({ text, isWarning });
    if (this.notes.length > KEPT_NOTES) this.notes.shift();
  }

  setProgress(update: ProgressUpdate): void {
    if (update.phase !== this.progress?.phase || update.step !== this.progress.step)
      this.progressSince = performance.now();
    this.progress = update;
  }

  get secondsLeft(): number | null {
    return this.#clock.left(this.totalSteps);
  }

  /** The curve of a metric that people look at; null while it was not logged. */
  curve(metric: KeyMetric): BoundedSeries | null {
    const name = nameOf(metric, (candidate) => this.series.has(candidate));
    return name === null ? null : (this.series.get(name) ?? null);
  }

  /** Validation scores, by data source. */
  validations(): { readonly source: string; readonly series: BoundedSeries }[] {
    return validationScores(this.series.keys()).map(({ name, dataSource }) => ({
      source: dataSource,
      series: this.series.get(name) as BoundedSeries,
    }));
  }
}

const NAMES: ReadonlySet<string> = new Set(Object.values(KEY_METRICS).flat());
const isShown = (name: string, value: number): boolean =>
  NAMES.has(name) || name.startsWith("val-core/") || (name === STALENESS && value !== 0);
