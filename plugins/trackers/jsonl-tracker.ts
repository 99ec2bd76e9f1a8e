import { type FileHandle, mkdir, open } from "node:fs/promises";
import path from "node:path";
import type { RunInfo, Tracker, TrackerFactory } from "../../core/plugin.js";
import { cutMetrics, metricsLine } from "../../core/tracking/index.js";

/** Appends one line per call to a file and waits until it is on the disk. A resumed run continues where it stopped. */
class LineFileTracker implements Tracker {
  #handle: FileHandle | null = null;

  constructor(
    readonly name: string,
    private readonly fileOf: (run: RunInfo) => string,
    private readonly withTime: boolean,
  ) {}

  async start(run: RunInfo): Promise<void> {
    const file = this.fileOf(run);
    await mkdir(path.dirname(file), { recursive: true });
    await cutMetrics(file, run.startStep, run.logsStartStepAgain);
    this.#handle = await open(file, "a");
  }

  async log(metrics: Readonly<Record<string, number>>, step: number): Promise<void> {
    if (!this.#handle) throw new TypeError(`the tracker ${this.name} was used before start()`);
    await this.#handle.appendFile(`${metricsLine(step, metrics, this.withTime ? new Date() : undefined)}\n`);
    await this.#handle.datasync();
  }

  async finish(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }
}

/** `metrics.jsonl` in the run's folder: `{"step", "time", "data"}` per line. */
export const jsonlTracker: TrackerFactory = {
  name: "jsonl",
  create: () => new LineFileTracker("jsonl", ({ outputDir }) => path.join(outputDir, "metrics.jsonl"), true),
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
      ({ projectName, experimentName }) =>
        path.resolve(
          env.VERL_FILE_LOGGER_PATH ||
            path.join(env.VERL_FILE_LOGGER_ROOT || ".", projectName, `${experimentName}.jsonl`),
        ),
      false,
    ),
};
