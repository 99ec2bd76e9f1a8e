import path from "node:path";
import type { PlannedRun, RunInfo, Tracker, TrackerFactory, TrajectoryRecord } from "../../core/plugin.js";
import {
  cutMetrics,
  cutTrajectories,
  METRICS_FILE,
  metricsLine,
  SAMPLES_FILE,
  trajectoryLine,
} from "../../core/tracking/index.js";
import { LineFile } from "./line-file.js";
import { checkPlace } from "./place.js";

/** Response tokens of a step in `samples.jsonl`, beyond the first trajectory: the file must not outgrow the run. */
const TOKENS_PER_STEP = 16_384;

/** One line per call, on the disk when the call returns. A resumed run continues where it stopped. */
class LineFileTracker implements Tracker {
  #run: RunInfo | null = null;
  #metrics: LineFile | null = null;
  #samples: LineFile | null = null;

  constructor(
    readonly name: string,
    private readonly files: (run: PlannedRun) => { readonly metrics: string; readonly samples?: string },
    private readonly settings: { readonly withTime: boolean; readonly chosenBy: string },
  ) {}

  async check(run: PlannedRun): Promise<void> {
    const { chosenBy } = this.settings;
    for (const file of Object.values(this.files(run))) await checkPlace({ tracker: this.name, file, chosenBy });
  }

  async start(run: RunInfo): Promise<void> {
    await this.check(run);
    this.#run = run;
  }

  async begin(): Promise<void> {
    const run = this.#run;
    if (!run) throw new TypeError(`the tracker ${this.name} was used before start()`);
    if (this.#metrics) return;
    const { metrics, samples } = this.files(run);
    const cut = [run.startStep, run.logsStartStepAgain] as const;
    this.#metrics = await LineFile.open(metrics, () => cutMetrics(metrics, ...cut));
    if (samples) this.#samples = await LineFile.open(samples, () => cutTrajectories(samples, ...cut));
  }

  async log(metrics: Readonly<Record<string, number>>, step: number): Promise<void> {
    await this.begin();
    await this.#metrics?.append([metricsLine(step, metrics, this.settings.withTime ? new Date() : undefined)]);
  }

  async logTrajectories(records: readonly TrajectoryRecord[]): Promise<void> {
    await this.begin();
    if (!this.#samples) return;
    let tokens = 0;
    const kept = records.filter(({ mask }, i) => {
      tokens += mask.length;
      return i === 0 || tokens <= TOKENS_PER_STEP;
    });
    await this.#samples.append(kept.map(trajectoryLine));
  }

  async finish(): Promise<void> {
    await this.#metrics?.close();
    await this.#samples?.close();
    this.#run = this.#metrics = this.#samples = null;
  }
}

/** In the run's folder: `metrics.jsonl`, `{"step", "time", "data"}` per line, and `samples.jsonl`, a few trajectories of each step. */
export const jsonlTracker: TrackerFactory = {
  name: "jsonl",
  create: () =>
    new LineFileTracker(
      "jsonl",
      ({ outputDir }) => ({
        metrics: path.join(outputDir, METRICS_FILE),
        samples: path.join(outputDir, SAMPLES_FILE),
      }),
      { withTime: true, chosenBy: "trainer.output_dir" },
    ),
};

/**
 * verl's file logger: `{"step", "data"}` per line in `VERL_FILE_LOGGER_PATH`, else in
 * `{VERL_FILE_LOGGER_ROOT or .}/{project}/{experiment}.jsonl`.
 */
export const fileTracker: TrackerFactory = {
  name: "file",
  create: ({ env }) =>
    new LineFileTracker(
      "file",
      ({ projectName, experimentName }) => ({
        metrics: path.resolve(
          env.VERL_FILE_LOGGER_PATH ||
            path.join(env.VERL_FILE_LOGGER_ROOT || ".", projectName, `${experimentName}.jsonl`),
        ),
      }),
      { withTime: false, chosenBy: "VERL_FILE_LOGGER_PATH or VERL_FILE_LOGGER_ROOT" },
    ),
};
