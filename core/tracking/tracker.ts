import type { PlacedMedia } from "../data/media/media.js";
import type { Awaitable, Diagnosis, JsonValue, Logger } from "../host/types.js";

/** One sampled trajectory for people to look at. Lists over response tokens are parallel. */
export interface TrajectoryRecord {
  /** `{uid}_{session}_{index}`. */
  readonly key: string;
  readonly step: number;
  readonly split: "train" | "val";
  readonly dataSource: string;
  readonly promptText: string;
  readonly responseText: string;
  /** Token texts of the response. */
  readonly tokens: readonly string[];
  /** 1 = sampled by the policy. */
  readonly mask: readonly number[];
  /** The sampler's log-probabilities, nats. */
  readonly logProbs: readonly number[] | null;
  readonly groundTruth: JsonValue;
  readonly score: number | null;
  /** Further values of the reward. */
  readonly extra: Readonly<Record<string, JsonValue>>;
  /** Token ids. */
  readonly promptIds?: readonly number[];
  readonly responseIds?: readonly number[];
  /** Images, videos and sounds among prompt and response, by reference; offsets count from the prompt's first token. */
  readonly media?: readonly PlacedMedia[];
  /** The trainer's log-probabilities before the update, nats; null where it computed none. */
  readonly trainerLogProbs?: readonly number[] | null;
  /** What the update weighed each token by; null where nothing was trained. */
  readonly advantages?: readonly number[] | null;
  readonly stopReason?: string;
  /** Oldest and newest weights that sampled it. */
  readonly weightVersions?: readonly [oldest: number, newest: number];
  readonly numTurns?: number;
  /** What went wrong while scoring. */
  readonly rewardMessage?: string | null;
  /** `file:line` of the prompt. */
  readonly origin?: string;
}

export interface RunInfo {
  readonly projectName: string;
  readonly experimentName: string;
  /** Folder of the run, absolute; trackers write inside it. */
  readonly outputDir: string;
  readonly totalSteps: number;
  /** Step that the run resumed from; 0 for a new one. */
  readonly startStep: number;
  /**
   * The run was killed before it could log `startStep` and logs it again: whatever is already there of that step is to be
   * replaced. Default false.
   */
  readonly logsStartStepAgain?: boolean;
  /** The run is read from its folder (`verl export --to`): what is written lies in `outputDir`, apart from what the run itself wrote. Default false. */
  readonly isOver?: boolean;
  /** The resolved configuration with secrets masked. */
  readonly config: JsonValue;
  readonly logger: Logger;
  /** Where progress goes. */
  readonly output: NodeJS.WritableStream;
  readonly isTTY: boolean;
  readonly color: boolean;
  readonly json: boolean;
}

/** What is known of a run before anything of it is loaded. */
export type PlannedRun = Pick<RunInfo, "projectName" | "experimentName" | "outputDir" | "isOver" | "config" | "logger">;

/** A sink for metrics. Calls are awaited one after the other; an error ends the run. */
export interface Tracker {
  readonly name: string;
  /**
   * Throws where the tracker could not start: a folder that cannot be written, a setting of the wrong form. Every tracker is asked before
   * models are loaded, and by `--dry-run`. Leaves nothing behind and tells nobody.
   */
  check?(run: PlannedRun): Awaitable<void>;
  /** After the models are loaded. A later tracker may still refuse: what an earlier run left stays until `begin`, or the first `log`. */
  start(run: RunInfo): Awaitable<void>;
  /** Every tracker has started: what the run replaces of an earlier one may go. */
  begin?(): Awaitable<void>;
  /**
   * Numbers only, keyed as in the metrics reference. Non-finite numbers are passed as they are. `time` is given where the step
   * was taken earlier than now, by `verl export --to`.
   */
  log(metrics: Readonly<Record<string, number>>, step: number, time?: Date): Awaitable<void>;
  logTrajectories?(records: readonly TrajectoryRecord[], step: number, time?: Date): Awaitable<void>;
  /** Progress inside a step, for a live line: phase name and done/total when known. */
  progress?(update: ProgressUpdate): void;
  /** Called once on every exit path of a run that was started; flushes. */
  finish(outcome: { exitCode: number; error?: unknown }): Awaitable<void>;
}

export interface ProgressUpdate {
  readonly step: number;
  readonly phase: string;
  readonly done?: number;
  readonly total?: number;
}

/** Keys of the section `trainer` that are for trackers. */
export interface TrackerSettings {
  /** `log_val_generations`: validation samples to show after each validation; 0: texts stay in the run's folder. */
  readonly valGenerations: number;
  /** `tracker_python`; null: look for one. */
  readonly python: string | null;
  /** `wandb_proxy`; may hold credentials. */
  readonly proxy: string | null;
}

export interface TrackerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent where no configuration is at hand. */
  readonly settings?: TrackerSettings;
  /** Where the user named the tracker, for messages. Default `trainer.logger`. */
  readonly namedBy?: string;
}

/** Registered under the name used in `trainer.logger`. */
export interface TrackerFactory {
  readonly name: string;
  /** Shows a run while it goes on, and keeps nothing of it: no target of `verl export --to`. Default false. */
  readonly showsOnly?: boolean;
  /** Called before anything heavy is loaded: what is missing on this machine is best reported here. */
  create(options: TrackerOptions): Awaitable<Tracker>;
  /** For `verl doctor`: whether the tracker can be used here. */
  diagnose?(options: TrackerOptions): Awaitable<readonly Diagnosis[]>;
}
