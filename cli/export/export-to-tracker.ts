import path from "node:path";
import { maskSecrets } from "../../core/config/index.js";
import { didYouMean } from "../../core/host/basics.js";
import type { Host } from "../../core/index.js";
import type { JsonValue, Logger, RunInfo, Tracker, TrackerFactory, TrajectoryRecord } from "../../core/plugin.js";
import { checkTrackers, RunFolder, readTrajectories, SAMPLES_FILE, unmask } from "../../core/tracking/index.js";
import { cliErrors } from "../errors.js";
import { commandLogger } from "../program/command-logger.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { checkPatterns, matches } from "../program/metric-pattern.js";
import { EXIT } from "../program/report-error.js";
import { startHost } from "../runs/prepare-run.js";

export interface TrackerExportRequest {
  readonly run: string;
  /** Name of a registered tracker. */
  readonly to: string;
  /** Names or patterns with `*`; none: all. */
  readonly metrics: readonly string[];
  readonly json: boolean;
  /** A file or its format was asked for, too. */
  readonly isFile: boolean;
}

/**
 * `verl export RUN --to TRACKER`: shows a run to a tracker as if it had been there from the start, with the times at which the
 * steps were logged. Of the run's configuration nothing is run: Python and plugins are those of the environment.
 */
export async function exportToTracker(request: TrackerExportRequest, io: CommandIo): Promise<number> {
  if (request.isFile) {
    throw cliErrors.VERL_CLI_USAGE({
      what: "A run is written to a file or handed to a tracker, not both at once.",
      fix: "Leave out --output and --format, or --to.",
    });
  }
  const folder = await RunFolder.open(path.resolve(io.cwd, request.run));
  const lines = await folder.metrics();
  checkPatterns(request.metrics, [...new Set(lines.flatMap(({ data }) => Object.keys(data)))], "The run has no metric");
  const isWanted = (name: string) =>
    request.metrics.length === 0 || request.metrics.some((pattern) => matches(name, pattern));
  const host = await startHost({ json: request.json }, [], io);
  try {
    const generations = folder.setting("trainer.log_val_generations");
    const valGenerations = typeof generations === "number" ? generations : 0;
    const settings = { valGenerations, python: io.env.VERL_TRACKER_PYTHON || null, proxy: null };
    const tracker = await targetOf(host, request.to).create({ env: io.env, settings, namedBy: "--to" });
    const { logger, warnings } = countingLogger(commandLogger(io));
    const samples = valGenerations > 0 ? await validationSamples(folder) : new Map<number, TrajectoryRecord[]>();
    const run = runInfo(folder, request, lines.at(-1)?.step ?? 0, io, logger);
    await checkTrackers([tracker], run);
    await tracker.start(run);
    await finishing(tracker, async () => {
      await tracker.begin?.();
      for (const { step, time: text, data } of lines) {
        const time = text === undefined ? undefined : new Date(text);
        const records = samples.get(step);
        if (records) await tracker.logTrajectories?.(records, step, time);
        const wanted = Object.entries(data).filter(([name]) => isWanted(name));
        await tracker.log(Object.fromEntries(wanted.map(([name, value]) => [name, unmask(value)])), step, time);
      }
    });
    const isWhole = warnings() === 0;
    if (request.json) printJson(io, { to: request.to, steps: lines.length, complete: isWhole });
    else if (isWhole) printLine(io.stderr, `${lines.length} steps are in ${request.to}`);
    return isWhole ? EXIT.ok : EXIT.failed;
  } finally {
    await host.dispose();
  }
}

/** The tracker that is asked for. One that keeps nothing is no target. */
function targetOf({ registries }: Host, name: string): TrackerFactory {
  const found = registries.trackers.get(name);
  if (found && !found.showsOnly) return found;
  const targets = registries.trackers.items().flatMap(({ item, keys }) => (item.showsOnly ? [] : keys));
  throw cliErrors.VERL_CLI_UNKNOWN_NAME({
    what: found
      ? `The tracker ${name} shows a run while it goes on, and keeps nothing of it.`
      : `There is no tracker "${name}".${didYouMean(name, targets)}`,
    where: "--to",
    why: `Runs can be handed to ${[...targets].sort().join(", ")}.`,
    fix: "Name one of them; one of a plugin is there where VERL_USE_EXTERNAL_MODULES names the plugin.",
  });
}

async function finishing(tracker: Tracker, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await Promise.resolve(tracker.finish({ exitCode: 1, error })).catch(() => {});
    throw error;
  }
  await tracker.finish({ exitCode: 0 });
}

function runInfo(
  folder: RunFolder,
  { to, json }: TrackerExportRequest,
  totalSteps: number,
  io: CommandIo,
  logger: Logger,
): RunInfo {
  const project = folder.setting("trainer.project_name");
  return {
    projectName: typeof project === "string" && project !== "" ? project : "verl",
    experimentName: folder.experimentName,
    // Not the run's folder: what trackers keep there of the run itself stays as it is.
    outputDir: path.join(folder.dir, "exports", to),
    totalSteps,
    startStep: 0,
    isOver: true,
    config: maskSecrets((folder.config?.plain ?? {}) as JsonValue, io.env),
    logger,
    output: io.stdout,
    isTTY: false,
    color: io.color.stdout,
    json,
  };
}

/** Of the run's own few samples those that trackers show. */
async function validationSamples(folder: RunFolder): Promise<Map<number, TrajectoryRecord[]>> {
  const samples = new Map<number, TrajectoryRecord[]>();
  for (const { file } of (await folder.trajectoryFiles()).filter(({ file }) => path.basename(file) === SAMPLES_FILE)) {
    for await (const record of readTrajectories(file)) {
      if (record.split !== "val") continue;
      const known = samples.get(record.step);
      if (known) known.push(record);
      else samples.set(record.step, [record]);
    }
  }
  return samples;
}

function countingLogger(inner: Logger): { readonly logger: Logger; warnings(): number } {
  let count = 0;
  const warn = (message: string) => {
    count++;
    inner.warn(message);
  };
  return { logger: { ...inner, warn }, warnings: () => count };
}
