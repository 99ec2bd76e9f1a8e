import { isVerlError, reasonOf, type VerlError, withConsequence } from "../host/errors.js";
import { trackingErrors } from "./errors.js";
import type { PlannedRun, ProgressUpdate, RunInfo, Tracker, TrajectoryRecord } from "./tracker.js";

/** All trackers of a run as one. */
export interface TrackerSet {
  /** In order; then all `begin`. If one fails, those already started are finished before this rejects. */
  start(run: RunInfo): Promise<void>;
  log(metrics: Readonly<Record<string, number>>, step: number, time?: Date): Promise<void>;
  logTrajectories(records: readonly TrajectoryRecord[], step: number, time?: Date): Promise<void>;
  /** Never throws: a progress line is not worth a run. */
  progress(update: ProgressUpdate): void;
  /**
   * Finish every tracker, whatever the others do; once, however often it is called. Errors come back as one
   * `VERL_TRACKING_FAILED` after all had their turn.
   */
  finish(outcome: { exitCode: number; error?: unknown }): Promise<void>;
}

/** Asks every tracker whether it could start; of those that could not the first is the error, and the others stand beside it. */
export async function checkTrackers(trackers: readonly Tracker[], run: PlannedRun): Promise<void> {
  const errors: VerlError[] = [];
  for (const tracker of trackers) {
    try {
      await tracker.check?.(run);
    } catch (error) {
      errors.push(isVerlError(error) ? error : failed([{ tracker, error }], "looking whether it could start"));
    }
  }
  if (errors.length === 0) return;
  const [first, ...others] = errors;
  throw others.reduce((error, { what, where, why }) => withConsequence(error, sentence({ what, where, why })), first);
}

const sentence = ({ what, where, why }: Pick<VerlError, "what" | "where" | "why">): string =>
  `${what}${where ? ` (${where})` : ""}${why ? `: ${why}` : ""}`;

/** Fans out to trackers one after the other; every error names its tracker. */
export function createTrackerSet(trackers: readonly Tracker[]): TrackerSet {
  const silenced = new Set<Tracker>();
  let finishing: Promise<void> | null = null;

  async function each(what: string, call: (tracker: Tracker) => unknown): Promise<void> {
    for (const tracker of trackers) {
      try {
        await call(tracker);
      } catch (error) {
        throw failed([{ tracker, error }], what);
      }
    }
  }

  async function finish(of: readonly Tracker[], outcome: { exitCode: number; error?: unknown }): Promise<void> {
    const failures: Failure[] = [];
    for (const tracker of of) {
      try {
        await tracker.finish(outcome);
      } catch (error) {
        failures.push({ tracker, error });
      }
    }
    if (failures.length > 0) throw failed(failures, "finishing");
  }

  return {
    async start(run) {
      const begin = async (phase: "start" | "begin") => {
        for (const [i, tracker] of trackers.entries()) {
          try {
            await (phase === "start" ? tracker.start(run) : tracker.begin?.());
          } catch (error) {
            finishing = finish(phase === "start" ? trackers.slice(0, i) : trackers, { exitCode: 1, error }).catch(
              () => {},
            );
            await finishing;
            // What a tracker says of its own start, and how to mend it, is better than anything said here.
            throw isVerlError(error) ? error : failed([{ tracker, error }], "starting");
          }
        }
      };
      await begin("start");
      await begin("begin");
    },
    log: (metrics, step, time) => each(`logging step ${step}`, (tracker) => tracker.log(metrics, step, time)),
    logTrajectories: (records, step, time) =>
      each(`logging trajectories of step ${step}`, (tracker) => tracker.logTrajectories?.(records, step, time)),
    progress(update) {
      for (const tracker of trackers) {
        if (silenced.has(tracker)) continue;
        try {
          tracker.progress?.(update);
        } catch {
          silenced.add(tracker);
        }
      }
    },
    finish(outcome) {
      finishing ??= finish(trackers, outcome);
      return finishing;
    },
  };
}

interface Failure {
  readonly tracker: Tracker;
  readonly error: unknown;
}

function failed(failures: readonly Failure[], during: string) {
  const names = failures.map(({ tracker }) => `"${tracker.name}"`).join(", ");
  return trackingErrors.VERL_TRACKING_FAILED({
    what: `${failures.length === 1 ? "the tracker" : "the trackers"} ${names} failed while ${during}`,
    why: failures.map(({ error }) => reasonOf(error)).join("; "),
    cause: failures.length === 1 ? failures[0].error : new AggregateError(failures.map((f) => f.error)),
  });
}
