import path from "node:path";
import { maskSecrets } from "../../../core/config/index.js";
import {
  type Diagnosis,
  isVerlError,
  type PlannedRun,
  type RunInfo,
  reasonOf,
  type Tracker,
  type TrackerFactory,
  type TrackerOptions,
  type TrajectoryRecord,
} from "../../../core/plugin.js";
import { maskNonFinite } from "../../../core/tracking/index.js";
import { trackerErrors } from "../errors.js";
import { GENERATIONS, generationRows } from "../generation-rows.js";
import { checkPlace } from "../place.js";
import { Bridge } from "./bridge.js";
import { type ClientVariable, checkVariables } from "./client-settings.js";
import { findPython } from "./find-python.js";

/** Logging in over a slow network counts; the clients' own limits are shorter. */
const START_MS = 150_000;
/** Uploading what is left. */
const FINISH_MS = 120_000;
/** The same of a run that failed or is aborted: somebody waits for its end. */
const FAILED_MS = 15_000;
/** After which the wait is explained. */
const SAID_MS = 3000;

/** A tracker whose client is the Python package of the same name. */
export interface PythonClient {
  readonly name: string;
  /** What to try when it does not begin. */
  readonly help: string;
  /** What it reads of the environment, as far as its form can be told. */
  readonly variables?: readonly ClientVariable[];
  /** What to do with a run that could not be handed over in time. */
  readonly later?: string;
}

export interface PythonTrackerLimits {
  readonly startMs?: number;
  readonly finishMs?: number;
  readonly waitingBytes?: number;
}

/** Hands what a run logs to a Python client in a process of its own. Once it has begun, nothing of it ends or delays the run. */
export class PythonTracker implements Tracker {
  readonly name: string;
  #bridge: Bridge | null = null;
  #run: RunInfo | null = null;

  constructor(
    private readonly client: PythonClient,
    private readonly python: string,
    private readonly options: TrackerOptions,
    private readonly limits: PythonTrackerLimits,
  ) {
    this.name = client.name;
  }

  async check({ outputDir }: PlannedRun): Promise<void> {
    checkVariables(this.name, this.client.variables ?? [], this.options.env);
    // Notes, and what most clients keep on this machine.
    const folder = path.join(outputDir, "trackers");
    await checkPlace({ tracker: this.name, folder, chosenBy: "trainer.output_dir" });
  }

  /** Waits for the client's run to begin. @throws VERL_TRACKER_START_FAILED */
  async start(run: RunInfo): Promise<void> {
    const { env, settings } = this.options;
    const { startMs = START_MS, waitingBytes } = this.limits;
    const onFailure = (reason: string) =>
      run.logger.warn(`${this.name}: ${this.#masked(reason)}; the run goes on without what it does not take`);
    const first = {
      type: "start",
      project: run.projectName,
      experiment: run.experimentName,
      config: run.config,
      outputDir: run.outputDir,
      // Where the tracker's part of a run that goes on is noted.
      record: path.join(run.outputDir, "trackers", `${this.name}.json`),
      resumed: run.startStep > 0,
      proxy: settings?.proxy ?? null,
      pid: process.pid,
    };
    const waiting = setTimeout(() => run.logger.info(`${this.name}: waiting for it to begin`), SAID_MS);
    try {
      const options = { python: this.python, client: this.name, env, waitingBytes, onFailure };
      const { bridge, answer } = await Bridge.start(options, first, startMs);
      this.#bridge = bridge;
      this.#run = run;
      if (typeof answer.place === "string") run.logger.info(`${this.name}: ${this.#masked(answer.place)}`);
    } catch (error) {
      throw trackerErrors.VERL_TRACKER_START_FAILED({
        what: `the client of the tracker ${this.name} did not begin a run`,
        why: this.#masked(reasonOf(error)),
        fix: this.client.help,
      });
    } finally {
      clearTimeout(waiting);
    }
  }

  log(metrics: Readonly<Record<string, number>>, step: number, time?: Date): void {
    this.#send({ type: "log", step, metrics: maskNonFinite(metrics), time: seconds(time) });
  }

  logTrajectories(records: readonly TrajectoryRecord[], step: number, time?: Date): void {
    if (!this.options.settings?.valGenerations) return;
    const rows = generationRows(records).map((row) => ({ ...row }));
    if (rows.length > 0) this.#send({ type: "table", name: GENERATIONS, step, rows, time: seconds(time) });
  }

  async finish({ exitCode }: { exitCode: number }): Promise<void> {
    const [bridge, run] = [this.#bridge, this.#run];
    this.#bridge = null;
    if (!bridge || !run) return;
    const waiting = setTimeout(() => run.logger.info(`${this.name}: waiting for it to hand everything over`), SAID_MS);
    const { finishMs = exitCode === 0 ? FINISH_MS : FAILED_MS } = this.limits;
    const { lost, had, reason } = await bridge.end(exitCode, finishMs);
    clearTimeout(waiting);
    if (had > 0) {
      run.logger.info(
        `${this.name}: what it has from the run's earlier part was left out (${had} message${had === 1 ? "" : "s"})`,
      );
    }
    if (lost === 0 && reason === null) return;
    const parts = [lost > 0 ? `it did not take ${lost} message${lost === 1 ? "" : "s"}` : "", reason ?? ""];
    const { later } = this.client;
    run.logger.warn(`${this.name}: ${this.#masked(parts.filter(Boolean).join("; "))}${later ? `. ${later}` : ""}`);
  }

  #send(message: Parameters<Bridge["send"]>[0]): void {
    if (!this.#run) throw new TypeError(`the tracker ${this.name} was used before start()`);
    this.#bridge?.send(message);
  }

  /** What a client prints may hold its key. */
  #masked(text: string): string {
    return String(maskSecrets(text, this.options.env));
  }
}

/** Since 1970; null for now. */
const seconds = (time: Date | undefined): number | null => (time ? time.getTime() / 1000 : null);

/** Looks for Python and the client when it is made, so that a run that lacks them ends before anything is loaded. */
export function pythonTracker(client: PythonClient, limits: PythonTrackerLimits = {}): TrackerFactory {
  return {
    name: client.name,
    create: async (options) =>
      new PythonTracker(client, (await findPython(client.name, options)).command, options, limits),
    diagnose: (options) => diagnose(client.name, options),
  };
}

async function diagnose(name: string, options: TrackerOptions): Promise<Diagnosis[]> {
  try {
    const { command, pythonVersion, clientVersion } = await findPython(name, options);
    return [
      { name: `tracker ${name}`, status: "ok", detail: `${clientVersion} in ${command} (Python ${pythonVersion})` },
    ];
  } catch (error) {
    if (!isVerlError(error)) throw error;
    const { what, why, fix } = error;
    return [{ name: `tracker ${name}`, status: "failed", detail: why ? `${what}: ${why}` : what, fix }];
  }
}
