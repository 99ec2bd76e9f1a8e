import type { RunConfig } from "../config/run-config.js";
import type { Profiler } from "../host/profiler.js";
import type { Awaitable, Logger } from "../host/types.js";
import type { HostServices } from "../services.js";
import type { RunInfo, Tracker } from "../tracking/tracker.js";
import type { CheckpointCallback } from "./hooks.js";
import type { Alarm } from "./metrics/health.js";

/** How a run ended. */
export interface FitResult {
  readonly reason: "completed" | "stopped";
  readonly globalStep: number;
  /** Metrics of the last step. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Every validation of this run, oldest first. */
  readonly validations: readonly { readonly step: number; readonly metrics: Readonly<Record<string, number>> }[];
  /** What went beyond a threshold of `trainer.health`. */
  readonly alarms?: readonly Alarm[];
}

/** A training algorithm's main loop. */
export interface Trainer {
  /** Load models and data, restore a checkpoint, fire `onInitEnd`. */
  init(): Promise<void>;
  fit(): Promise<FitResult>;
  /** First call: finish the step, save, return. Second call: abort at once. */
  stop(reason: string): void;
  dispose(): Promise<void>;
}

export interface TrainerOptions {
  readonly config: RunConfig;
  readonly services: HostServices;
  readonly trackers: readonly Tracker[];
  /** How and where the trackers present the run. */
  readonly display: Pick<RunInfo, "outputDir" | "config" | "output" | "isTTY" | "color" | "json">;
  readonly checkpointCallbacks: readonly CheckpointCallback[];
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Collects where the time goes. */
  readonly profiler?: Profiler;
  /** Working directory of the user: base of relative paths. */
  readonly cwd: string;
  /** Where a key of the configuration was set, for messages. */
  readonly sourceOf?: (key: string) => string | undefined;
}

/** Registered by `trainer.v1.trainer_mode`. */
export interface TrainerFactory {
  readonly mode: string;
  create(options: TrainerOptions): Awaitable<Trainer>;
}
