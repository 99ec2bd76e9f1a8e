import { maskNonFinite, type Tracker } from "../../core/tracking/index.js";
import { alarmLines } from "../../core/trainer/index.js";
import { printFailedPlugins } from "../plugins/failed-plugins.js";
import { commandLogger } from "../program/command-logger.js";
import { withInterrupts } from "../program/interrupts.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { EXIT, isOfSettings, reportError } from "../program/report-error.js";
import { watchedRun } from "../program/watched-work.js";
import { dryRun } from "./dry-run.js";
import { printGoingOn } from "./going-on.js";
import { type ConfigRequest, prepareRun } from "./prepare-run.js";
import { type TrainOutcome, trainPrepared } from "./train-run.js";

export interface TrainRequest extends ConfigRequest {
  /** Check everything, print what would run, start nothing. */
  readonly dryRun: boolean;
  /** A live picture instead of lines, where there is a terminal. */
  readonly tui: boolean;
}

/** `verl train`. Returns the exit code. */
export async function runTrain(request: TrainRequest, io: CommandIo): Promise<number> {
  const since = Date.now();
  const run = await prepareRun(request, io, { forTraining: true });
  try {
    if (request.dryRun) {
      await dryRun(run, io, request.json);
      return EXIT.ok;
    }
    return await withInterrupts(io, watchedRun(run.config, io, request), async (interrupts) => {
      let isUnderWay = false;
      const options = {
        json: request.json,
        logger: commandLogger(io),
        console: await pictureOf(request, io),
        onUnderWay: () => {
          isUnderWay = true;
        },
      };
      const outcome = await trainPrepared(run, io, { ...options, ...interrupts }).catch(async (error: unknown) => {
        const code = reportError(error, io, request.json);
        // What refused the checkpoint or the configuration would refuse them again.
        if (isUnderWay && !isOfSettings(error)) await printGoingOn(run.config, io, request.json, since);
        return code;
      });
      if (typeof outcome === "number") return outcome;
      if (request.json) printJson(io, { event: "end", ...finite(outcome) });
      else for (const line of alarmLines(outcome.alarms ?? [])) printLine(io.stderr, `health: ${line}`);
      if (outcome.reason === "stopped") await printGoingOn(run.config, io, request.json, since);
      // A hook that stops the run ends it well; a signal does not.
      return outcome.reason === "stopped" && interrupts.received() > 0 ? EXIT.interrupted : EXIT.ok;
    });
  } finally {
    printFailedPlugins(run.host.report, io);
    await run.host.dispose();
  }
}

/** The live picture where it can be shown; elsewhere lines, with a word why. */
async function pictureOf({ tui, json }: TrainRequest, io: CommandIo): Promise<Tracker | undefined> {
  if (!tui) return undefined;
  const output = io.stdout as NodeJS.WriteStream;
  if (json || output.isTTY !== true || io.env.TERM === "dumb") {
    if (!json) printLine(io.stderr, "--tui needs a terminal on standard output: lines are printed instead.");
    return undefined;
  }
  const { TuiTracker } = await import("../tui/tui-tracker.js");
  return new TuiTracker(output);
}

/** JSON knows no NaN: non-finite numbers become texts, as in the events of the steps. */
function finite(outcome: TrainOutcome) {
  const { metrics, validations, alarms = [] } = outcome;
  return {
    ...outcome,
    alarms: alarms.map((alarm) => ({ ...alarm, worst: maskNonFinite(alarm.worst) })),
    metrics: maskNonFinite(metrics),
    validations: validations.map((validation) => ({ ...validation, metrics: maskNonFinite(validation.metrics) })),
  };
}
