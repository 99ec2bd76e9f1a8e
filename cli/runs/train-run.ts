import path from "node:path";
import { maskSecrets, saveConfig, sourceOfKey, toPlain } from "../../core/config/index.js";
import {
  type CalmLogger,
  calmLogger,
  isVerlError,
  type Logger,
  type PluginRecord,
  type Profiler,
} from "../../core/host/index.js";
import { type RecordedPlugin, type Tracker, writeRunFiles } from "../../core/tracking/index.js";
import { checkpointCallback, type FitResult, type Trainer } from "../../core/trainer/index.js";
import type { CommandIo } from "../program/io.js";
import { surfaced } from "../program/stray-errors.js";
import { VERSION } from "../program/version.js";
import type { PreparedRun } from "./prepare-run.js";
import { runTrackers } from "./run-trackers.js";

export interface TrainRunOptions {
  readonly json: boolean;
  readonly logger: Logger;
  /** Takes the place of the tracker `console`. */
  readonly console?: Tracker;
  readonly signal?: AbortSignal;
  readonly profiler?: Profiler;
  /** Handed the trainer once it exists, so that a Ctrl-C can stop it. */
  onTrainer?(trainer: Pick<Trainer, "stop">): void;
  /** Everything is set up, what is resumed restored: the first step comes. */
  onUnderWay?(): void;
}

export interface TrainOutcome extends FitResult {
  /** Folder with metrics.jsonl, report.html and checkpoints. */
  readonly outputDir: string;
}

/** Train a checked configuration: build the trainer, initialise, fit, and take everything down on every path. */
export async function trainPrepared(run: PreparedRun, io: CommandIo, options: TrainRunOptions): Promise<TrainOutcome> {
  const { host, config } = run;
  const logger = calmLogger(options.logger);
  const outputDir = path.resolve(io.cwd, config.trainer.output_dir);
  const abort = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal;
  const stopWatching = host.watchErrors((error) => abort.abort(error));
  let trainer: Trainer | null = null;
  try {
    await host.registerUserHooks(config.trainer.hooks);
    for (const line of host.report.startLines()) logger.info(line);
    const services = await host.services({ device: config.trainer.device });
    const callback = await checkpointCallback(host.loadUserModule, config);
    // First: on a full disk everything of an earlier run stays.
    const trackers = [
      runFiles(run, io, outputDir),
      ...(await runTrackers(run, io, { ...options, logger })),
      sums(logger),
    ];
    trainer = await services.registries.trainers.require(config.trainer.v1.trainer_mode).create({
      config,
      services,
      trackers,
      checkpointCallbacks: callback ? [callback] : [],
      logger,
      signal,
      profiler: options.profiler,
      cwd: io.cwd,
      sourceOf: (key) => sourceOfKey(run.composed.tree, key),
      display: {
        outputDir,
        config: maskSecrets(toPlain(run.composed.tree), io.env),
        output: io.stdout,
        isTTY: (io.stdout as NodeJS.WriteStream).isTTY === true,
        color: io.color.stdout,
        json: options.json,
      },
    });
    options.onTrainer?.(trainer);
    await trainer.init();
    options.onUnderWay?.();
    const outcome = await trainer.fit();
    await surfaced();
    abort.signal.throwIfAborted();
    return { ...outcome, outputDir };
  } catch (error) {
    // What aborted the run says more than what the abort broke.
    throw signal.aborted && isVerlError(signal.reason) ? signal.reason : error;
  } finally {
    stopWatching();
    await trainer?.dispose();
    logger.sum();
  }
}

/** After each step, how often warnings of one kind have come in it. */
const sums = (logger: CalmLogger): Tracker => ({
  name: "warnings",
  start() {},
  log: (_, step) => logger.sum(`step ${step}`),
  finish: () => logger.sum(),
});

/** What the run runs with, in its folder: noted as soon as nobody can refuse it any more, so that those of an earlier run stay till then. */
function runFiles({ host, composed }: PreparedRun, io: CommandIo, outputDir: string): Tracker {
  let writing: Promise<void> | null = null;
  const write = () => {
    const startedAt = new Date().toISOString();
    const note = { version: VERSION, cwd: io.cwd, startedAt, plugins: host.report.plugins.map(recorded) };
    writing ??= writeRunFiles(outputDir, saveConfig(composed.tree, io.env), note);
    return writing;
  };
  // A trainer of a plugin may come straight to the first step.
  return { name: "run files", start() {}, begin: write, log: write, finish() {} };
}

const recorded = ({ name, version, source, status, hash, registered }: PluginRecord): RecordedPlugin => ({
  name,
  version,
  source,
  status,
  hash,
  registered: registered.map(({ kind, key }) => ({ kind, key })),
});
