import type { Stability } from "../host/registry/stability.js";
import type { JsonValue } from "../host/types.js";

/**
 * Lifecycle hooks. Each has three slots in fixed order: `pre` (users and plugins), `trainer` (weight sync, sleep, wake),
 * `post` (users and plugins). A context is made for one call; what a hook may change is a method of its context.
 */
export interface HookContexts {
  onInitEnd: RunContext;
  onTrainBegin: RunContext;
  onTrainEnd: TrainEndContext;
  onValidateBegin: RunContext;
  onValidateEnd: ValidateEndContext;
  onStepBegin: StepContext;
  onStepEnd: StepEndContext;
  /** @experimental */
  onSampleBegin: SampleBeginContext;
  /** @experimental */
  onSampleEnd: SampleEndContext;
}
export type HookName = keyof HookContexts;
export const HOOK_NAMES = [
  "onInitEnd",
  "onTrainBegin",
  "onTrainEnd",
  "onValidateBegin",
  "onValidateEnd",
  "onStepBegin",
  "onStepEnd",
  "onSampleBegin",
  "onSampleEnd",
] as const satisfies readonly HookName[];

/** What a plugin may rely on. Modes that sample beside training will change what a step's samples are. */
export const HOOK_STABILITY: Readonly<Record<HookName, Stability>> = {
  onInitEnd: "stable",
  onTrainBegin: "stable",
  onTrainEnd: "stable",
  onValidateBegin: "stable",
  onValidateEnd: "stable",
  onStepBegin: "stable",
  onStepEnd: "stable",
  onSampleBegin: "experimental",
  onSampleEnd: "experimental",
};

export interface RunContext {
  readonly globalStep: number;
  readonly totalSteps: number;
  readonly epoch: number;
  /** Version of the weights that rollout servers hold. */
  readonly weightVersion: number;
  /** The resolved configuration, read-only, with secrets masked. */
  readonly config: JsonValue;
  /** Aborted when the run is stopped for good. */
  readonly signal: AbortSignal;
  /** Finish the current step, save, and end the run normally. */
  requestStop(reason: string): void;
}

export interface TrainEndContext extends RunContext {
  readonly reason: "completed" | "stopped" | "failed";
}

export interface ValidateEndContext extends RunContext {
  readonly metrics: Readonly<Record<string, number>>;
  /** Add to what is logged. An existing name is an error. */
  addMetric(name: string, value: number): void;
}

export interface StepContext extends RunContext {
  addMetric(name: string, value: number): void;
}

export interface StepEndContext extends StepContext {
  readonly metrics: Readonly<Record<string, number>>;
}

export interface SampleBeginContext extends StepContext {
  /** Prompt groups that this step will train on. */
  readonly groups: number;
  /** Over-sampling: ask for further prompts beyond `groups`. */
  requestPrompts(count: number): void;
}

/** A finished prompt group as a filter sees it. */
export interface SampledGroup {
  readonly uid: string;
  readonly dataSource: string;
  /** Score of each session's final trajectory; null where scoring abstained or failed. */
  readonly scores: readonly (number | null)[];
  readonly failedSessions: number;
  readonly extra: readonly Readonly<Record<string, JsonValue>>[];
}

export interface SampleEndContext extends StepContext {
  readonly groups: readonly SampledGroup[];
  /** Dynamic filtering: drop a group; `refill` (default true) asks for another prompt in its place. */
  dropGroup(uid: string, options?: { refill?: boolean; reason?: string }): void;
}

/** What a user or plugin registers: functions for `post`, or an object to choose the slot. */
export type Hooks = {
  readonly [N in HookName]?: HookFunction<N> | { readonly pre?: HookFunction<N>; readonly post?: HookFunction<N> };
} & {
  /** Shown in errors and in `verl plugins tree`. */
  readonly name: string;
  /** Milliseconds for each call; default `trainer.hook_deadline_s`. Passing it ends the run. */
  readonly deadlineMs?: number;
};
export type HookFunction<N extends HookName> = (context: HookContexts[N]) => void | Promise<void>;

/**
 * Told after every completed save, last of all: files are in place and the tracker file names the step. Runs on the
 * driver without a default deadline; its error aborts the run. Servers still hold the previous weights.
 */
export interface CheckpointCallback {
  readonly name?: string;
  onSave(save: {
    readonly globalStep: number;
    /** `{default_local_dir}/global_step_{N}`, absolute. */
    readonly checkpointDir: string;
    readonly asyncSave: boolean;
    readonly config: JsonValue;
    readonly signal: AbortSignal;
  }): void | Promise<void>;
}
