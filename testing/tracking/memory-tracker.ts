import type {
  PlannedRun,
  ProgressUpdate,
  RunInfo,
  Tracker,
  TrackerFactory,
  TrajectoryRecord,
} from "../../core/plugin.js";

/** Keeps everything that it is told, in order. */
export class MemoryTracker implements Tracker {
  readonly name = "memory";
  readonly checked: PlannedRun[] = [];
  readonly runs: RunInfo[] = [];
  /** How often `begin` was called. */
  begun = 0;
  readonly steps: { readonly step: number; readonly metrics: Readonly<Record<string, number>> }[] = [];
  readonly trajectories: TrajectoryRecord[] = [];
  readonly updates: ProgressUpdate[] = [];
  readonly outcomes: { readonly exitCode: number; readonly error?: unknown }[] = [];

  check(run: PlannedRun): void {
    this.checked.push(run);
  }

  begin(): void {
    this.begun++;
  }

  start(run: RunInfo): void {
    this.runs.push(run);
  }

  log(metrics: Readonly<Record<string, number>>, step: number): void {
    this.steps.push({ step, metrics: { ...metrics } });
  }

  logTrajectories(records: readonly TrajectoryRecord[]): void {
    this.trajectories.push(...records);
  }

  progress(update: ProgressUpdate): void {
    this.updates.push(update);
  }

  finish(outcome: { exitCode: number; error?: unknown }): void {
    this.outcomes.push(outcome);
  }

  /** Every value of one metric, in order. */
  series(name: string): number[] {
    return this.steps.flatMap(({ metrics }) => (name in metrics ? [metrics[name]] : []));
  }
}

/** A factory under the name `memory` whose trackers are kept in `created`. */
export function memoryTrackerFactory(): TrackerFactory & { readonly created: MemoryTracker[] } {
  const created: MemoryTracker[] = [];
  return {
    name: "memory",
    created,
    create() {
      const tracker = new MemoryTracker();
      created.push(tracker);
      return tracker;
    },
  };
}
