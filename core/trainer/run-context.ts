import { maskSecrets } from "../config/index.js";
import type { RunConfig } from "../config/run-config.js";
import type { JsonValue } from "../host/types.js";
import { trainerErrors } from "./errors.js";
import type {
  RunContext,
  SampleBeginContext,
  SampledGroup,
  SampleEndContext,
  StepContext,
  StepEndContext,
  TrainEndContext,
  ValidateEndContext,
} from "./hooks.js";

/** What every hook context is made from; the trainer owns it, hooks never see it. */
export interface RunState {
  globalStep: number;
  totalSteps: number;
  epoch: number;
  weightVersion: number;
  readonly config: JsonValue;
  readonly signal: AbortSignal;
  stopReason: string | null;
}

/** What hooks see of the configuration: theirs to read, not to change, and without secrets, which they may print. */
export function configForHooks(config: RunConfig): RunState["config"] {
  const freeze = (value: unknown): void => {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  };
  const copy = maskSecrets(JSON.parse(JSON.stringify(config)) as RunState["config"], process.env);
  freeze(copy);
  return copy;
}

/** Metrics of a step while it runs. A name belongs to the trainer or to one hook. */
export class StepMetrics {
  readonly #values: Record<string, number> = {};
  readonly #ofHooks = new Set<string>();

  /** Written by the trainer: later stages may refine a value. */
  set(metrics: Readonly<Record<string, number>>): void {
    for (const name of Object.keys(metrics)) if (this.#ofHooks.has(name)) throw taken(name);
    Object.assign(this.#values, metrics);
  }

  /** Adds to counters of the trainer that several rounds of a step share. */
  count(metrics: Readonly<Record<string, number>>): void {
    const sums = Object.entries(metrics).map(([name, n]) => [name, (this.#values[name] ?? 0) + n] as const);
    this.set(Object.fromEntries(sums));
  }

  /** Written by a hook. */
  add(name: string, value: number): void {
    if (name in this.#values) throw taken(name);
    this.#ofHooks.add(name);
    this.#values[name] = value;
  }

  get values(): Readonly<Record<string, number>> {
    return this.#values;
  }
}

const taken = (name: string) =>
  trainerErrors.VERL_TRAINER_METRIC_EXISTS({ what: `the metric ${name} is logged twice in this step` });

/** Between `pre` and `post` of one hook the trainer does its own work: what it changes there is read anew. */
export function runContext(state: RunState): RunContext {
  return {
    get globalStep() {
      return state.globalStep;
    },
    get epoch() {
      return state.epoch;
    },
    get weightVersion() {
      return state.weightVersion;
    },
    totalSteps: state.totalSteps,
    config: state.config,
    signal: state.signal,
    requestStop(reason) {
      state.stopReason ??= reason;
    },
  };
}

/** The context with more members; getters stay getters. */
function extended<A extends object, B extends object>(context: A, more: B): A & B {
  return Object.defineProperties(context, Object.getOwnPropertyDescriptors(more)) as A & B;
}

export function trainEndContext(state: RunState, reason: TrainEndContext["reason"]): TrainEndContext {
  return extended(runContext(state), { reason });
}

export function stepContext(state: RunState, metrics: StepMetrics): StepContext {
  return extended(runContext(state), { addMetric: (name: string, value: number) => metrics.add(name, value) });
}

export function stepEndContext(state: RunState, metrics: StepMetrics): StepEndContext {
  return extended(stepContext(state, metrics), { metrics: { ...metrics.values } });
}

export function validateEndContext(state: RunState, metrics: StepMetrics): ValidateEndContext {
  return extended(stepContext(state, metrics), { metrics: { ...metrics.values } });
}

export function sampleBeginContext(
  state: RunState,
  metrics: StepMetrics,
  groups: number,
): { context: SampleBeginContext; requested: () => number } {
  let extra = 0;
  const context: SampleBeginContext = extended(stepContext(state, metrics), {
    groups,
    requestPrompts(count: number) {
      if (!Number.isInteger(count) || count < 0) throw new RangeError("requestPrompts needs a whole number >= 0");
      extra += count;
    },
  });
  return { context, requested: () => extra };
}

export function sampleEndContext(
  state: RunState,
  metrics: StepMetrics,
  groups: readonly SampledGroup[],
): { context: SampleEndContext; dropped: ReadonlyMap<string, { refill: boolean; reason: string }> } {
  const dropped = new Map<string, { refill: boolean; reason: string }>();
  const known = new Set(groups.map((group) => group.uid));
  const context: SampleEndContext = extended(stepContext(state, metrics), {
    groups,
    dropGroup(uid: string, options: { refill?: boolean; reason?: string } = {}) {
      if (!known.has(uid)) throw new RangeError(`no sampled group has the uid ${uid}`);
      dropped.set(uid, { refill: options.refill ?? true, reason: options.reason ?? "dropped by a hook" });
    },
  });
  return { context, dropped };
}
